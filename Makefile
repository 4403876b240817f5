# Longwatch. `make help` lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
BIN := bin/longwatch
SAMPLE := bin/sample/quarterly-report
GOFILES := $(shell git ls-files '*.go' 2>/dev/null)

.PHONY: help run build page types test check lint fuzz bench clean need FORCE

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

run: build ## build, run the sample task and show where its result is
	@rm -rf $(SAMPLE) && mkdir -p $(dir $(SAMPLE)) && cp -r examples/quarterly-report $(SAMPLE)
	$(BIN) run $(SAMPLE)/task.md --unattended

build: page $(BIN) ## build bin/longwatch, with its page where Node is there

page: ## build the page that a browser is shown
	@build/page

# Go itself knows what is up to date.
$(BIN): need page FORCE
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o $@ .

types: need ## write the page's types anew from backend/api/wire.go
	go generate ./backend/api

test: need ## install what the tests need and run all of them
	@build/test-needs
	go test -race -timeout 20m ./...
	@build/as-plain-user
	@build/page test

check: lint test ## what has to be green before a commit

lint: need ## formatting, vet, staticcheck, the other platform, the page's types
	@out=$$(go tool gofumpt -l $(GOFILES)); test -z "$$out" || { echo "not formatted (go tool gofumpt -w):"; echo "$$out"; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	GOOS=darwin GOARCH=arm64 go vet ./...
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
