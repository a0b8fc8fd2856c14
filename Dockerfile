# The bot's own image: web and worker. The image that tests run in is another one: sandbox/Dockerfile.
#
#   docker build -t selfcode .
#
# BASE may be any image with Python 3.11 or newer whose packages come by apt.
ARG BASE=python:3.13-slim

FROM ${BASE} AS wheel
WORKDIR /src
COPY requirements-dev.lock ./
# The build's own tools, by the hashes of the lock file.
RUN sed -n -E '/^(hatchling|packaging|pathspec|pluggy|trove-classifiers)==/,/[^\\]$/p' requirements-dev.lock >build.lock \
    && python3 -m venv /build \
    && /build/bin/python -m pip install --no-cache-dir --no-deps --require-hashes -r build.lock
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
COPY sandbox sandbox
RUN /build/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheels .

FROM ${BASE}
RUN command -v git >/dev/null && test -e /etc/ssl/certs/ca-certificates.crt || { \
        apt-get update \
        && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates git \
        && rm -rf /var/lib/apt/lists/*; \
    }
COPY requirements.lock /tmp/requirements.lock
RUN python3 -m venv /opt/selfcode \
    && /opt/selfcode/bin/python -m pip install --no-cache-dir --no-deps --require-hashes -r /tmp/requirements.lock
COPY --from=wheel /wheels /tmp/wheels
RUN /opt/selfcode/bin/python -m pip install --no-cache-dir --no-deps --no-index /tmp/wheels/*.whl && rm -r /tmp/wheels \
    && useradd --uid 10001 --user-group --create-home --shell /usr/sbin/nologin selfcode \
    && install -d -o selfcode -g selfcode -m 0700 /var/lib/selfcode

ENV PATH=/opt/selfcode/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    SELFCODE_HOME=/var/lib/selfcode \
    SELFCODE_HOST=0.0.0.0
USER selfcode
WORKDIR /var/lib/selfcode
VOLUME /var/lib/selfcode
EXPOSE 8000
CMD ["selfcode", "serve"]
