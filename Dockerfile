# syntax=docker/dockerfile:1
# One image for all roles: the binary, the C library that it needs, and nothing else, run by a user
# without rights. scripts/image-root says what is in it; scripts/image-check proves that it runs.
#
#     docker buildx build --tag registry.example/spatz:1.0.0 --provenance=mode=max --sbom=true --push .
#
# `--provenance` attaches from which sources and by which steps the image was made, `--sbom` what it
# consists of; both can be read with `docker buildx imagetools inspect` and signed with cosign. An
# SBOM scanner sees the crates only in Cargo.lock, which lies beside the licences in the image.

# The Debian of the C library, and the toolchain of rust-toolchain.toml: a check compares them.
FROM rust:1.95.0-bookworm AS build
WORKDIR /src
COPY . .
# Dependencies and objects stay in caches of the builder between builds.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --locked --release --package spatz && \
    scripts/image-root target/release/spatz /image

FROM scratch
COPY --from=build /image /
USER 65532:65532
ENV SPATZ_LISTEN=0.0.0.0:8080 SPATZ_DATA=/var/lib/spatz
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/spatz"]
CMD ["serve"]
