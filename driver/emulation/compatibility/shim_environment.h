// The environment as the shim sees and changes it.
//
// The shim keeps its run directory and its sockets where SDACCEL_EM_RUN_DIR and USER say, and hands the name of a
// device's sockets to other threads and to the device process through setenv. Here each of these is private: to the
// process (directories) or to the thread that loads a device (everything the shim sets), so that neither users nor
// devices that load at the same time meet. Nothing of it shows in the program's own environment.
#pragma once

#include <fstream>
#include <map>
#include <string>

namespace heddle::emulation {

using Overlay = std::map<std::string, std::string>;

// Where sockets and run directories go. Called once, before the shim runs.
void set_shim_directory(const std::string& directory);
// The USER for which the shim's /tmp/$USER is that directory.
const std::string& shim_user();
// In place of the shim's std::filebuf::open: its log goes there too, not beside the program.
std::filebuf* open_hook(std::filebuf* file, const char* name, std::ios_base::openmode mode);

// What the shim has set in this thread; for threads that it starts.
const Overlay& thread_overlay();
void set_thread_overlay(Overlay& overlay);  // the overlay must live as long as the thread

// In a child process that is about to become a device: makes its environment what the shim wanted.
void export_overlay();

// In place of the shim's getenv, setenv and unsetenv.
char* getenv_hook(const char* name);
int setenv_hook(const char* name, const char* value, int overwrite);
int unsetenv_hook(const char* name);

}  // namespace heddle::emulation
