# Builds a card's xclbin from this folder, on a machine with Vitis and the card's development platform. The folder needs
# nothing beside it. Never run on a real Vitis.
MIN_VITIS := 2022.1
LINKED    := linked/$(KERNEL).xclbin
RESULT    := $(NAME).xclbin
JOBS      ?= $(shell nproc)
DEST      ?= /usr/local/share/heddle/bitstreams

.PHONY: help tools xo xclbin check install clean
help:
	@echo "make xclbin    package the kernel, link it for $(PLATFORM) at $(MHZ) MHz, check the result (hours)"
	@echo "make check     timing and utilisation of what was linked"
	@echo "make install   copy $(RESULT) to $(DEST)/cards, where --device xrt finds it (DEST=...)"
	@echo "make tools     whether the tools are there and new enough"

# A tool that is missing or too old costs a second here, and hours below.
tools:
	@for tool in vivado v++ xclbinutil platforminfo; do \
	  command -v $$tool >/dev/null || { echo "$$tool is not there; source Vitis' settings64.sh and XRT's setup.sh" >&2; exit 1; }; \
	done
	@version=$$(v++ --version | sed -n 's/.*v\([0-9]*\.[0-9]*\).*/\1/p' | head -n 1); \
	  oldest=$$(printf '%s\n' "$(MIN_VITIS)" "$$version" | sort -V | head -n 1); \
	  [ -n "$$version" ] && [ "$$oldest" = "$(MIN_VITIS)" ] || \
	  { echo "Vitis $(MIN_VITIS) or later is needed; v++ says version '$$version'" >&2; exit 1; }
	@platforminfo -p $(PLATFORM) >/dev/null 2>&1 || \
	  { echo "the development platform $(PLATFORM) is not installed, or PLATFORM_REPO_PATHS does not name its folder" >&2; exit 1; }

xo: $(KERNEL).xo
$(KERNEL).xo: package_kernel.tcl kernel.xml sources.f $(shell cat sources.f) | tools
	vivado -mode batch -nojournal -log package.log -source package_kernel.tcl -tclargs $(PART) $(KERNEL) $@

$(LINKED): $(KERNEL).xo link.cfg | tools
	mkdir -p linked
	v++ --link --target hw --config link.cfg --kernel_frequency $(MHZ) --jobs $(JOBS) --temp_dir linked/temp --log_dir linked/logs \
	  --report_dir linked/reports --report_level 1 --save-temps -o $@ $<

check: check_reports.tcl
	@timing=$$(find linked -name '*timing_summary*routed*.rpt' | sort | tail -n 1); \
	  used=$$(find linked -name '*full_util_routed.rpt' -o -name '*utilization_placed.rpt' | sort | tail -n 1); \
	  tclsh check_reports.tcl "$$timing" "$$used"

# Says what is inside in the section that the runtime compares with its configuration.
$(RESULT): $(LINKED) identity.json
	$(MAKE) check
	xclbinutil --force --input $(LINKED) --add-section USER_METADATA:RAW:identity.json --output $@

xclbin: $(RESULT)

install: $(RESULT)
	install -D -m 644 $(RESULT) $(DEST)/cards/$(RESULT)

clean:
	rm -rf $(KERNEL).xo package_project package_ip package.log linked $(RESULT)
