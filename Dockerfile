# The bot's own image: web and worker. The image that tests run in is another one: sandbox/Dockerfile.
#
#   docker build -t selfcode .
#
# BASE may be any image with Python 3.11 or newer whose packages come by apt. Everything else comes from requirements.lock,
# by its hashes. How it is run, read-only and as nobody in particular: docs/deployment.md.
ARG BASE=python:3.13-slim

FROM ${BASE} AS built
WORKDIR /src
COPY requirements.lock requirements-dev.lock ./
# The build's own tools are those of the lock file, too.
RUN sed -n -E '/^(hatchling|packaging|pathspec|pluggy|trove-classifiers)==/,/[^\\]$/p' requirements-dev.lock >build.lock \
    && python3 -m venv /build \
    && /build/bin/python -m pip install --no-cache-dir --no-deps --require-hashes -r build.lock \
    && python3 -m venv --without-pip /opt/selfcode \
    && /build/bin/python -m pip --python /opt/selfcode/bin/python \
        install --no-cache-dir --no-deps --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE app.yml ./
COPY bot bot
COPY sandbox sandbox
RUN /build/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /build/bin/python -m pip --python /opt/selfcode/bin/python install --no-cache-dir --no-deps --no-index /wheels/*.whl
# 184 MB of grammars that nothing here asks for.
RUN /opt/selfcode/bin/python -P -c 'from pathlib import Path; import tree_sitter_language_pack as pack; \
    from bot.agent.viewing.parsing import QUERIES; \
    grammars = Path(pack.__file__).with_name("bindings").glob("*.so"); \
    [path.unlink() for path in grammars if path.name.partition(".")[0] not in QUERIES]; \
    [pack.get_language(name) for name in QUERIES]'

FROM ${BASE}
RUN command -v git >/dev/null && test -e /etc/ssl/certs/ca-certificates.crt || { \
        apt-get update \
        && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates git \
        && rm -rf /var/lib/apt/lists/*; \
    }
RUN useradd --uid 10001 --user-group --create-home --shell /usr/sbin/nologin selfcode \
    && install -d -o selfcode -g selfcode -m 0700 /var/lib/selfcode
COPY --from=built /opt/selfcode /opt/selfcode

# A worker answers for its health on a port of loopback; the check asks whichever of the two there is.
ENV PATH=/opt/selfcode/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    SELFCODE_HOME=/var/lib/selfcode \
    SELFCODE_HOST=0.0.0.0 \
    SELFCODE_METRICS_PORT=8001
USER 10001:10001
WORKDIR /var/lib/selfcode
VOLUME /var/lib/selfcode
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["python3", "-P", "-m", "bot.healthcheck"]
CMD ["selfcode", "serve"]
