"""Settings of the sandbox that code runs in, and of what prepares it."""

from pydantic import BaseModel, DirectoryPath, Field

from bot.records import DEFAULT_IMAGE
from bot.settings.forms import Backend, Hosts, Names, Networks, Paths


class SandboxSettings(BaseModel):
    """The sandbox, its images, and what a setup may reach."""

    sandbox: Backend = Field(
        "docker",
        validation_alias="SELFCODE_SANDBOX",
        description="`bubblewrap` (no engine needed), `process` (no isolation: only for code that you trust), or one "
        "that a package brings: [sandboxes.md](sandboxes.md)",
    )
    sandbox_runtime: str | None = Field(
        None,
        validation_alias="SELFCODE_SANDBOX_RUNTIME",
        description="another OCI runtime that the engine knows, such as `runsc`",
        json_schema_extra={"unset": "the engine's"},
    )
    sandbox_paths: Paths = Field(
        (),
        validation_alias="SELFCODE_SANDBOX_PATHS",
        description="folders of this machine that `bubblewrap` shows read-only, such as a toolchain's",
    )
    sandbox_memory_mb: int = Field(
        4096,
        ge=64,
        validation_alias="SELFCODE_SANDBOX_MEMORY_MB",
        description="memory of one workspace, the files in it included",
    )
    sandbox_cpus: float = Field(
        2.0, gt=0, le=1024, validation_alias="SELFCODE_SANDBOX_CPUS", description="processors of one workspace"
    )
    sandbox_disk_gb: float = Field(
        20.0,
        gt=0,
        validation_alias="SELFCODE_SANDBOX_DISK_GB",
        description="what prepared images may take on the engine's disk, beside their base images; the least recently "
        "used go first",
    )
    setup_hosts: Hosts = Field(
        (),
        validation_alias="SELFCODE_SETUP_HOSTS",
        description="further hosts that `setup` may reach: `HOST` on ports 80 and 443, or `HOST:PORT`; `*` stands for "
        "anything",
    )
    setup_networks: Networks = Field(
        (),
        validation_alias="SELFCODE_SETUP_NETWORKS",
        description="private networks that allowed hosts may lie in, such as `10.1.0.0/16` for a registry of your own. "
        "Loopback, link-local and metadata addresses stay closed",
    )
    setup_secrets: DirectoryPath | None = Field(
        None,
        validation_alias="SELFCODE_SETUP_SECRETS",
        description="a folder with secrets for `setup`: the file `OWNER/REPO/NAME` is `/run/secrets/NAME` in that "
        "repository's `setup`, and in nothing that is kept",
    )
    sandbox_image: str = Field(
        DEFAULT_IMAGE,
        validation_alias="SELFCODE_SANDBOX_IMAGE",
        description="the image that tests run in: `docker build -t selfcode-sandbox sandbox/`",
    )
    images: Names = Field(
        (),
        validation_alias="SELFCODE_IMAGES",
        description="further images that a repository may choose; `*` stands for anything: `python:3.*`",
    )
    docker_host: str | None = Field(
        None,
        validation_alias="DOCKER_HOST",
        description="the Docker engine, on this machine or another "
        "([deployment.md](deployment.md#an-engine-of-its-own))",
        json_schema_extra={"unset": "the local socket"},
    )
