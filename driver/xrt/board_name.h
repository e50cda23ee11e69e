// Which board the user means.
#pragma once

#include <optional>
#include <string>

namespace heddle::driver {

struct BoardName {
  bool emulated = true;
  std::optional<unsigned> index;  // nothing: the first free emulated board, or a card by its address
  std::string bdf;                // of a card, as XRT takes it

  std::string text() const;  // "emulated board 2", "card 0000:65:00.1"
};

// Throws InputError with the forms that there are (see XrtOptions::board).
BoardName parse_board(const std::string& text);

}  // namespace heddle::driver
