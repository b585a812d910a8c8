# The doors of this project. Each is a script in scripts/, which can be run by itself too.

.PHONY: help demo test check lint format build release libpackhost bindings man site dist dist-test soak bench clean

help: ## what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## install what is missing, build, and run the whole way once: build, publish, update, roll back
	@scripts/install-system-packages.sh scripts/demo-packages.txt
	@scripts/build-demo.sh
	@scripts/demo.sh

test: ## install what is missing, lint, build, run every test (what CI runs)
	@scripts/install-system-packages.sh
	@scripts/test.sh

check: ## the fast loop: lint, build, type checks, first ring of tests; FILTER=PackFormatTests for a part of all
	@scripts/check.sh $(FILTER)

lint: ## format, import rules, file lengths, scripts, what is embedded; after a build the benchmarks and Apple files too
	@scripts/lint.sh
	@if [ -n "$$(find -L .build -maxdepth 4 -path '*/Modules/TestSupport.swiftmodule' -print -quit 2>/dev/null)" ]; then \
		scripts/check-types.sh; else echo "lint: the benchmarks and Apple files are checked after make check or make test"; fi

format: ## bring the Swift sources into form, and write anew what is generated
	@swift format -i -r -p Sources Tests Package.swift
	@scripts/embed-templates.py
	@scripts/embed-hook.py
	@scripts/make-configuration-reference.py

build: ## a debug build with the import check
	@scripts/build-debug.sh

release: ## one stripped executable with the Swift libraries inside: .build/bin/packtool
	@scripts/build-release.sh

libpackhost: ## the C interface with the Swift libraries inside: .build/lib/libpackhost.so, .build/include/packhost.h (docs/C-API.md)
	@scripts/build-libpackhost.sh

bindings: ## libpackhost for Java and Node, after it: .build/bindings (docs/BINDINGS.md)
	@scripts/build-bindings.sh

man: ## man page and shell completions in .build/share
	@scripts/build-manual.sh

site: ## the documentation as a site in .build/site: links checked, nothing loaded from other hosts
	@scripts/site.sh

dist: ## what is handed out, in .build/dist: .deb, portable .tar.zst, OCI image, npm packages, checksums (docs/RELEASING.md)
	@scripts/install-system-packages.sh
	@scripts/install-system-packages.sh scripts/dist-packages.txt
	@scripts/dist.sh

dist-test: ## tries them in clean systems, as root: the five minutes from the .deb, npm, the image and the portable folder
	@scripts/install-system-packages.sh scripts/dist-packages.txt
	@scripts/dist-test.sh

soak: ## the long sweeps: crashes, lies, fuzzing, random documents, sanitizers (three hours)
	@scripts/install-system-packages.sh
	@scripts/install-system-packages.sh scripts/soak-packages.txt
	@scripts/soak.sh

bench: ## everything of docs/BENCHMARKS.md measured anew beside its peers, and written there (some hours)
	@scripts/install-system-packages.sh
	@scripts/install-system-packages.sh scripts/bench-packages.txt
	@scripts/build-release.sh
	@REPORT=1 scripts/bench.sh

clean: ## remove what was built and downloaded
	rm -rf .build .cache
