# Longwatch. `make help` lists what there is.
SHELL := /bin/bash
comma := ,
.DEFAULT_GOAL := help
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
BIN := bin/longwatch
WINDOW := bin/longwatch-window
OS := $(shell uname -s)
WINDOWTAGS := desktop,production$(if $(filter Linux,$(OS)),$(comma)webkit2_41)
WINDOWENV := CGO_ENABLED=1 $(if $(filter Darwin,$(OS)),CGO_LDFLAGS="-framework UniformTypeIdentifiers")
LDFLAGS := -s -w -X main.version=$(VERSION)
SAMPLE := bin/sample/quarterly-report
GOFILES := $(shell git ls-files '*.go' 2>/dev/null)

.PHONY: help run build page window types test test-window check lint fuzz bench clean need FORCE

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

run: build ## open the window with the sample task; where none can be, run it in the terminal
	@rm -rf $(SAMPLE) && mkdir -p $(dir $(SAMPLE)) && cp -r examples/quarterly-report $(SAMPLE)
	@if build/window-needs can-show; then \
	  $(MAKE) --no-print-directory window && \
	  echo "opening the window: press Start there; \`$(BIN) run $(SAMPLE)/task.md\` does the same in the terminal" && \
	  $(WINDOW) $(SAMPLE)/task.md; \
	else \
	  echo "running the sample in the terminal" && $(BIN) run $(SAMPLE)/task.md --unattended; \
	fi

build: page $(BIN) ## build bin/longwatch, with its page where Node is there

page: ## build the page that a browser is shown
	@build/page

# Go itself knows what is up to date.
$(BIN): need page FORCE
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o $@ .

# It needs the plain program of the same build beside it.
window: build ## build bin/longwatch-window, the desktop window
	@build/window-needs
	$(WINDOWENV) go build -trimpath -tags $(WINDOWTAGS) -ldflags '$(LDFLAGS)' -o $(WINDOW) .

types: need ## write the page's types anew from backend/api/wire.go
	go generate ./backend/api

test: need ## install what the tests need and run all of them
	@build/test-needs
	go test -race -timeout 20m ./...
	@build/as-plain-user
	@build/page test

test-window: need ## install what the window's tests need and drive the real window on a display of their own
	@build/window-needs install
	@$(MAKE) --no-print-directory window
	go tool staticcheck -tests=false -tags $(WINDOWTAGS) .
	LONGWATCH_WINDOW=$(abspath $(WINDOW)) go test -count=1 -timeout 10m ./build/windowtest

check: lint test ## what has to be green before a commit

lint: need ## formatting, vet, staticcheck, the other platform, the page's types
	@out=$$(go tool gofumpt -l $(GOFILES)); test -z "$$out" || { echo "not formatted (go tool gofumpt -w):"; echo "$$out"; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	GOOS=darwin GOARCH=arm64 go vet ./...
	CGO_ENABLED=0 go build -tags bindings -o /dev/null .
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go build -tags bindings -o /dev/null .
	@build/page lint

fuzz: need ## run every fuzzer for FUZZTIME (default 5s each)
	@build/fuzz $(or $(FUZZTIME),5s)

bench: build ## the measured figures: see bench/README.md
	@go run ./bench/rounds -longwatch $(BIN)

clean: ## remove what was built
	rm -rf bin frontend/dist/assets frontend/dist/*.*

need:
	@command -v go >/dev/null || { echo 'Longwatch needs Go 1.26 or newer: see https://go.dev/doc/install, or your system'\''s own package'; exit 1; }
	@go version | grep -qE 'go(1\.(2[6-9]|[3-9][0-9])|[2-9])' || { echo "Longwatch needs Go 1.26 or newer; this is $$(go version)"; exit 1; }

FORCE:
