# `make` lists the targets.

.DEFAULT_GOAL := help
.PHONY: help run run-cluster check test chart image-check bench sim-matchmaking load sim-ratings chaos upgrade fuzz deny screenshots clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Start everything in one process and say where to open it (needs only Rust and a C compiler)
	cargo run --locked --package spatz -- serve

run-cluster: ## Start Postgres, Redis and the four services on private ports
	scripts/install-tools redis postgres openssl
	cargo build --locked --package spatz
	scripts/with-stores scripts/run-cluster

check: ## Format, lints, file sizes
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- --deny warnings
	scripts/tidy

test: ## Install what is missing, start stores of their own, run every test
	scripts/install-tools redis postgres chromium node openssl promtool
	cargo build --locked --workspace --all-targets
	scripts/with-stores cargo test --locked --workspace
	scripts/browser-test
	scripts/chart
	scripts/deny

chart: ## Check the Helm chart: lints, golden files, the Kubernetes API, our policy, alerts
	scripts/install-tools promtool
	scripts/chart

image-check: ## Lay out the root folder of the image and run the program there (needs root)
	scripts/image-check

bench: ## Measure the engine, beside a peer; writes target/bench.jsonl
	scripts/bench

sim-matchmaking: ## Match invented arrivals in virtual time; writes target/sim-matchmaking.jsonl
	mkdir -p target
	cargo run --locked --release --package matchmaking --example sim-matchmaking -- \
	  target/sim-matchmaking.jsonl

load: ## Measure the running system under load, beside its bare Redis; writes target/load.jsonl
	scripts/install-tools redis postgres
	scripts/load --half 1
	scripts/load-ladder

sim-ratings: ## Play simulated seasons through the rating code, and say what ratings are worth
	scripts/sim-ratings

chaos: ## Break services and stores under load, and say what was lost (about ten minutes)
	scripts/install-tools redis postgres
	scripts/chaos

upgrade: ## Upgrade the previous release under load, both side by side (builds it first)
	scripts/install-tools redis postgres
	scripts/upgrade-test

fuzz: ## Feed arbitrary bytes to tables as commands and as logs, a minute each (needs a C++ compiler)
	scripts/fuzz

deny: ## Check licences, sources and duplicates of dependencies
	scripts/deny

screenshots: ## Take the pictures in docs/ again
	scripts/install-tools chromium node
	cargo build --locked --package spatz
	scripts/browser-test target/screenshots
	cp target/screenshots/phone-table.png target/screenshots/desktop-table.png docs/images/

clean: ## Remove what was built
	cargo clean
