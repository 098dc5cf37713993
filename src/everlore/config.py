"""Settings: defaults < config file (TOML) < environment (`EVEROS_<SECTION>__<KEY>`).

The config file is `$EVEROS_CONFIG_FILE`, else `config.toml` in the vault's root if it is there.
`docs/reference/settings.md` is generated from the descriptions here.
"""

from __future__ import annotations

import json
import os
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from everlore.errors import Misconfigured


class Section(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, validate_default=True)


class MemorySection(Section):
    root: Path = Field(Path("~/.everos"), description="Folder of the vault: all markdown and the index.")
    timezone: str = Field("UTC", description="Zone in which times are shown, an IANA name.")

    @field_validator("root")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()


class ApiSection(Section):
    host: str = Field("127.0.0.1", description="Interface the server binds to.")
    port: int = Field(8000, ge=0, le=65535, description="Port of the server; 0 picks a free one.")
    max_body_bytes: int = Field(64 * 2**20, ge=1024, description="Larger request bodies are refused with 413.")
    threads: int = Field(16, ge=2, le=256, description="Requests that may work at the same time.")


class EmbeddingSection(Section):
    base_url: str = Field("", description="OpenAI-compatible endpoint; empty uses the built-in offline model.")
    api_key: SecretStr = Field(SecretStr(""), description="Key for the endpoint.")
    model: str = Field("", description="Model name at the endpoint.")
    dimension: int = Field(0, ge=0, le=8192, description="Dimension of the endpoint's vectors; 0 asks it once.")
    timeout_seconds: float = Field(30.0, gt=0, description="Time-out of one request to the endpoint.")
    threads: int = Field(2, ge=1, le=64, description="CPU threads of the offline model.")
    cache_dir: Path = Field(
        Path("~/.cache/everlore"), description="Where the unpacked offline model is kept between starts."
    )

    @field_validator("cache_dir")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()


class BoundarySection(Section):
    hard_msg_limit: int = Field(120, ge=2, le=500, description="A conversation cell never has more messages.")
    hard_token_limit: int = Field(16384, ge=64, description="A conversation cell never has more tokens.")
    gap_minutes: int = Field(240, ge=1, description="A silence this long closes a cell.")
    min_messages: int = Field(8, ge=2, description="A change of topic closes a cell only from this size on.")
    topic_shift: bool = Field(True, description="Close a cell when the embedder sees a change of topic.")


class SearchSection(Section):
    default_radius: float = Field(0.54, ge=0, le=1, description="Cosine threshold when top_k is -1 and none is given.")


class LlmSection(Section):
    base_url: str = Field(
        "", description="OpenAI-compatible endpoint for extraction and search; empty works without a language model."
    )
    api_key: SecretStr = Field(SecretStr(""), description="Key for the endpoint.")
    model: str = Field("", description="Model name at the endpoint.")
    timeout_seconds: float = Field(60.0, gt=0, description="Time-out of one request to the endpoint.")
    budget_seconds: float = Field(
        120.0, gt=0, description="Longest time one /add or /flush waits for the model; then the messages stay buffered."
    )
    search_seconds: float = Field(
        10.0, gt=0, description="Longest time one search waits for the model; then the local ranking is returned."
    )
    retry_seconds: float = Field(
        30.0, gt=0, description="How often a server asks again about messages that wait for the model."
    )
    max_input_tokens: int = Field(
        16384, ge=512, description="Most tokens of one prompt (estimated); longer talk is shortened in its middle."
    )
    max_output_tokens: int = Field(2048, ge=64, description="Most tokens of one answer.")
    structured: Literal["json_schema", "json_object", "none"] = Field(
        "json_schema", description="Strictest `response_format` to ask for; what an endpoint refuses is left out."
    )
    price_input: float = Field(0.0, ge=0, description="Price of a million prompt tokens, for the ledger of costs.")
    price_output: float = Field(0.0, ge=0, description="Price of a million answer tokens, for the ledger of costs.")


class MultimodalSection(Section):
    base_url: str = Field(
        "", description="OpenAI-compatible endpoint that sees and hears; empty reads pictures and sound locally."
    )
    api_key: SecretStr = Field(SecretStr(""), description="Key for the endpoint.")
    model: str = Field("", description="Model name at the endpoint.")
    timeout_seconds: float = Field(60.0, gt=0, description="Time-out of one request to the endpoint.")
    max_output_tokens: int = Field(4096, ge=64, description="Most tokens of one answer.")
    price_input: float = Field(0.0, ge=0, description="Price of a million prompt tokens, for the ledger of costs.")
    price_output: float = Field(0.0, ge=0, description="Price of a million answer tokens, for the ledger of costs.")
    file_uri_max_bytes: int = Field(50 * 2**20, ge=1, description="Largest file a file:// URI may name.")
    file_uri_allow_dirs: Annotated[list[Path], NoDecode] = Field(
        default_factory=list,
        description="When set, file:// URIs must lie in one of these folders (a JSON list, or separated by commas).",
    )
    fetch_max_bytes: int = Field(50 * 2**20, ge=1, description="Largest payload an http(s):// URI may have.")
    fetch_seconds: float = Field(30.0, gt=0, description="Longest time a fetch may take, redirects included.")
    fetch_allow_networks: Annotated[list[IPv4Network | IPv6Network], NoDecode] = Field(
        default_factory=list,
        description=(
            "Networks that may be fetched from although they are not public, such as 10.1.2.0/24 (a JSON list, or"
            " separated by commas)."
        ),
    )
    parse_seconds: float = Field(120.0, gt=0, description="Longest time the parser of one content item may take.")
    parse_memory_mb: int = Field(
        3072,
        ge=512,
        description="Most address space, in MiB, that the parser of one content item may take (POSIX).",
    )
    parse_at_once: int = Field(2, ge=1, le=64, description="Parsers that may work at the same time.")
    max_pixels: int = Field(50_000_000, ge=1, description="Pictures with more pixels are refused.")
    max_text_chars: int = Field(1_000_000, ge=1, description="Content with more text than this is refused.")

    @field_validator("file_uri_allow_dirs", "fetch_allow_networks", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if value.lstrip().startswith("["):
            return json.loads(value)
        return [part.strip() for part in value.split(",") if part.strip()]


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="EVEROS_", env_nested_delimiter="__", extra="ignore", frozen=True, hide_input_in_errors=True
    )

    memory: MemorySection = MemorySection()
    api: ApiSection = ApiSection()
    embedding: EmbeddingSection = EmbeddingSection()
    boundary_detection: BoundarySection = BoundarySection()
    search: SearchSection = SearchSection()
    llm: LlmSection = LlmSection()
    multimodal: MultimodalSection = MultimodalSection()
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level that is logged.")
    log_format: Literal["auto", "console", "json"] = Field(
        "auto", description="auto: readable in a terminal, JSON lines in a pipe."
    )

    @field_validator("log_level", mode="before")
    @classmethod
    def _lower(cls, value: Any) -> Any:
        return value.lower() if isinstance(value, str) else value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=config_file())


def config_file() -> Path:
    named = os.environ.get("EVEROS_CONFIG_FILE")
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise Misconfigured(f"EVEROS_CONFIG_FILE names {path}, which is not a file")
        return path
    return Path(os.environ.get("EVEROS_MEMORY__ROOT") or "~/.everos").expanduser() / "config.toml"


def unknown_variables() -> list[str]:
    """EVEROS_* variables that no setting reads: misspelt, or of another version. A server says so when it starts."""
    known = {"EVEROS_CONFIG_FILE"}
    for name, field in Settings.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            known |= {f"EVEROS_{name}__{key}".upper() for key in section.model_fields}
        else:
            known.add(f"EVEROS_{name}".upper())
    return sorted(name for name in os.environ if name.upper().startswith("EVEROS_") and name.upper() not in known)


def load(**overrides: Any) -> Settings:
    """The settings in force. `overrides` are sections given by a caller, e.g. command-line options."""
    try:
        return Settings(**overrides)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = "EVEROS_" + "__".join(str(part).upper() for part in first["loc"])
        raise Misconfigured(f"setting {name}: {first['msg']}") from None
    except (ValueError, OSError) as error:
        # a broken TOML file or a JSON value in the environment; the text of the error names the place
        raise Misconfigured(f"the configuration cannot be read: {error}") from None
