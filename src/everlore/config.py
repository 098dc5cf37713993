"""Settings: defaults < config file (TOML) < environment (`EVEROS_<SECTION>__<KEY>`).

The config file is `$EVEROS_CONFIG_FILE`, else `config.toml` in the vault's root if it is there.
`docs/reference/settings.md` is generated from the descriptions here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import partial
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from everlore.clock import Clock
from everlore.errors import Misconfigured
from everlore.written import DEFAULT_ROOT, config_file, from_file, from_variables, merged, settings

Folder = Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())]


class Section(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, validate_default=True)


class MemorySection(Section):
    root: Folder = Field(Path(DEFAULT_ROOT), description="Folder of the vault: all markdown and the index.")
    timezone: str = Field("UTC", description="Zone in which times are shown, an IANA name.")
    mask_secrets: bool = Field(
        True, description="Hide keys, tokens and passwords of messages before they are stored; they cannot be recalled."
    )
    max_file_bytes: int = Field(
        16 * 2**20, ge=2**16, description="Larger files of the vault are neither read nor written; they are reported."
    )
    shared: bool = Field(
        False, description="Others on this machine use the vault, too: folders keep their rights, else they get 700."
    )
    bin_days: int = Field(30, ge=0, description="Days in which what was forgotten can be restored; 0: gone at once.")
    unmasked: tuple[str, ...] = Field(
        (), description="What looks like a secret and is none: patterns with commas between them (`order-*, build_*`)."
    )

    @field_validator("unmasked", mode="before")
    @classmethod
    def _patterns(cls, value: Any) -> Any:
        return tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value

    @field_validator("root", mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        return DEFAULT_ROOT if value == "" else value  # a variable without a value names no folder

    @field_validator("timezone")
    @classmethod
    def _on_earth(cls, value: str) -> str:
        Clock(value)  # raises what a person should read
        return value


class ApiSection(Section):
    host: str = Field("127.0.0.1", description="Interface the server binds to.")
    port: int = Field(8000, ge=0, le=65535, description="Port of the server; 0 picks a free one.")
    max_body_bytes: int = Field(64 * 2**20, ge=1024, description="Larger request bodies are refused with 413.")
    threads: int = Field(
        16,
        ge=2,
        le=256,
        description="Requests that may work at the same time; those that wait for files or for a language model take"
        " three quarters of that at most.",
    )
    search_processes: int = Field(
        0,
        ge=0,
        le=64,
        description="Processes of their own for searches, about 200 MB each, one for each processor if there are many"
        " clients; 0: the server searches itself.",
    )
    insecure: bool = Field(
        False, description="Listen on an interface other than loopback although requests need no token."
    )


class AuthSection(Section):
    enabled: bool = Field(
        False, description="Every request (health aside) needs a token and reaches only the memories of its account."
    )
    requests_per_minute: int = Field(600, ge=1, description="Requests that one token may make in a minute; then 429.")
    attempts_per_minute: int = Field(
        20, ge=1, description="Failed or anonymous sign-ins that one address may make in a minute; then 429."
    )
    agent_token_days: int = Field(0, ge=0, description="Days until an agent's token expires; 0: it does not.")
    public_url: str = Field(
        "", description="Address at which people reach this server, for sign-in pages and uploads; empty: as requested."
    )
    upload_max_bytes: int = Field(8 * 2**20, ge=1024, description="Largest document that may be uploaded.")
    upload_minutes: int = Field(15, ge=1, le=24 * 60, description="How long the address of an upload is good.")


class EmbeddingSection(Section):
    base_url: str = Field("", description="OpenAI-compatible endpoint; empty uses the built-in offline model.")
    api_key: SecretStr = Field(SecretStr(""), description="Key for the endpoint.")
    model: str = Field("", description="Model name at the endpoint.")
    dimension: int = Field(0, ge=0, le=8192, description="Dimension of the endpoint's vectors; 0 asks it once.")
    timeout_seconds: float = Field(30.0, gt=0, description="Time-out of one request to the endpoint.")
    threads: int = Field(2, ge=1, le=64, description="Texts that the offline model embeds at once, a CPU thread each.")
    cache_dir: Folder = Field(
        Path("~/.cache/everlore"), description="Where the unpacked offline model is kept between starts."
    )


class BoundarySection(Section):
    hard_msg_limit: int = Field(120, ge=2, le=500, description="A conversation cell never has more messages.")
    hard_token_limit: int = Field(
        16384, ge=64, description="A conversation cell never has more tokens; tool output counts as far as it is kept."
    )
    gap_minutes: int = Field(240, ge=1, description="A silence this long closes a cell.")
    min_messages: int = Field(8, ge=2, description="A change of topic closes a cell only from this size on.")
    topic_shift: bool = Field(True, description="Close a cell when the embedder sees a change of topic.")
    silence_minutes: float = Field(30.0, ge=0, description="A server extracts a session silent for so long; 0: never.")


class SearchSection(Section):
    default_radius: float | None = Field(
        None, ge=0, le=1, description="Cosine threshold when top_k is -1 and none is given; else it fits the model."
    )


class McpSection(Section):
    app: str = Field("default", min_length=1, description="App whose memories the MCP tools read and write.")
    project: str = Field("default", min_length=1, description="Project whose memories the MCP tools read and write.")
    user: str = Field(
        "default", min_length=1, description="Who I am: the user on every surface that is not told another one."
    )
    user_name: str = Field(
        "", max_length=80, description="What I am called in memories; empty: git's user.name, else the account's name."
    )
    toolset: str = Field("everme", min_length=1, description="Toolset that /mcp, without a name, answers with.")
    top_k: int = Field(5, ge=1, le=50, description="Results of mem_search and /mem/search when topK is not given.")


class BackgroundSection(Section):
    start: bool = Field(
        True,
        description="MCP processes, hooks and commands start a server for the vault where none runs, and share it;"
        " false: each does the work by itself.",
    )
    idle_minutes: float = Field(
        30.0,
        ge=0,
        description="A server that was started like this leaves when nobody has asked for so long and no messages wait;"
        " 0: it stays.",
    )


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
        30.0, gt=0, description="How soon a server comes back to messages that wait for the model or failed otherwise."
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
    file_uri_enabled: bool = Field(
        True, description="Whether file:// URIs are read; requests with a token need file_uri_allow_dirs as well."
    )
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
    file_uri_allow_dirs: list[Path] = Field(
        default_factory=list,
        description="When set, file:// URIs must lie in one of these folders (a JSON list, or separated by commas).",
    )
    fetch_max_bytes: int = Field(50 * 2**20, ge=1, description="Largest payload an http(s):// URI may have.")
    fetch_seconds: float = Field(30.0, gt=0, description="Longest time a fetch may take, redirects included.")
    fetch_allow_networks: list[IPv4Network | IPv6Network] = Field(
        default_factory=list,
        description="Networks that may be fetched from although not public, such as 10.1.2.0/24 (a JSON list, or"
        " separated by commas).",
    )
    parse_seconds: float = Field(120.0, gt=0, description="Longest time the parser of one content item may take.")
    parse_memory_mb: int = Field(
        3072, ge=512, description="Most address space, in MiB, that the parser of one content item may take (POSIX)."
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


class EmcpSection(Section):
    database_url: SecretStr = Field(
        SecretStr(""),
        description="Database of an Evolution CMS site (mysql://, mariadb://, postgresql:// or sqlite:///), only read; "
        "empty uses the embedded site, which `everlore content import` fills.",
    )
    table_prefix: str = Field(
        "", pattern=r"^[A-Za-z0-9_]{0,32}$", description="Prefix of the site's tables, e.g. `evo_`."
    )
    statement_seconds: float = Field(5.0, gt=0, le=300, description="A database query that takes longer is given up.")
    user_id: int = Field(
        0, ge=0, description="User of the site on whose behalf callers without a token read; 0 is a visitor."
    )
    jwt_secret: SecretStr = Field(
        SecretStr(""),
        description="Secret of HS256 tokens. When set, every HTTP call needs one, with the scopes mcp:read, mcp:call.",
    )
    jwt_audience: str = Field("", description="What `aud` of a token must name; empty: it is not looked at.")
    jwt_issuer: str = Field("", description="What `iss` of a token must be; empty: it is not looked at.")
    jwt_max_days: int = Field(
        366, ge=1, le=36_500, description="A token that is valid for longer from now on is refused."
    )
    jwt_leeway_seconds: int = Field(30, ge=0, le=300, description="How far the clocks of issuer and server may differ.")
    rate_limit_per_minute: int = Field(
        60, ge=0, description="Calls of one caller and method in a minute before 429 is answered; 0 is no limit."
    )
    max_payload_kb: int = Field(256, ge=1, le=65536, description="Larger requests are refused with 413.")
    max_result_items: int = Field(100, ge=1, le=1000, description="Largest `limit` a list tool accepts.")
    max_result_bytes: int = Field(2**20, ge=1024, description="Larger answers are refused with 413.")
    idempotency_seconds: int = Field(86400, ge=60, description="How long the result of a dispatched call is kept.")


def _other_programs_url() -> SecretStr:
    """DATABASE_URL, where it names a PostgreSQL: it is a name that other programs use for other databases too."""
    url = os.environ.get("DATABASE_URL", "")
    return SecretStr(url if re.match(r"postgres(ql)?(\+\w+)?://", url) else "")


def _bounded(name: str, default: int, least: int, most: int) -> int:
    """A variable that the Memory Server contract names; what is no number there is explained by its toolset."""
    try:
        return min(most, max(least, int(float(os.environ[name]))))
    except (KeyError, ValueError, OverflowError):
        return default


class StoreSection(Section):
    url: SecretStr = Field(
        default_factory=_other_programs_url,
        description="PostgreSQL to keep everything in, postgresql://user:password@host:5432/name; empty takes"
        " DATABASE_URL, and without that the folder of the vault.",
    )
    read_url: SecretStr = Field(
        SecretStr(""), description="A replica of that PostgreSQL, which answers searches; empty: there is none."
    )
    namespace: str = Field(
        "everlore",
        alias="schema",
        min_length=1,
        max_length=63,
        pattern=r"^[^\x00\"]+$",
        description="Schema of the tables in PostgreSQL; each one is a memory of its own.",
    )
    pool_size: int = Field(
        default_factory=partial(_bounded, "DB_MAX_POOL_SIZE", 24, 2, 100),
        ge=2,
        le=1000,
        description="Most connections to PostgreSQL; one for each thread that is at work. DB_MAX_POOL_SIZE, else 24.",
    )
    idle_ms: int = Field(
        default_factory=partial(_bounded, "DB_IDLE_TIMEOUT", 600_000, 1000, 300_000),
        ge=1000,
        description="How long an idle connection is kept, in ms. DB_IDLE_TIMEOUT, else ten minutes.",
    )
    query_ms: int = Field(
        default_factory=partial(_bounded, "DB_QUERY_TIMEOUT", 0, 1000, 300_000),
        ge=0,
        description="A statement that takes longer is given up, in ms; 0: none is. DB_QUERY_TIMEOUT, else 0.",
    )


class Settings(Section):
    model_config = ConfigDict(hide_input_in_errors=True)

    memory: MemorySection = MemorySection()
    store: StoreSection = Field(default_factory=StoreSection)
    api: ApiSection = ApiSection()
    auth: AuthSection = AuthSection()
    embedding: EmbeddingSection = EmbeddingSection()
    boundary_detection: BoundarySection = BoundarySection()
    search: SearchSection = SearchSection()
    mcp: McpSection = McpSection()
    background: BackgroundSection = BackgroundSection()
    llm: LlmSection = LlmSection()
    multimodal: MultimodalSection = MultimodalSection()
    emcp: EmcpSection = EmcpSection()
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level that is logged.")
    log_format: Literal["auto", "console", "json"] = Field(
        "auto", description="auto: readable in a terminal, JSON lines in a pipe."
    )

    @field_validator("log_level", mode="before")
    @classmethod
    def _lower(cls, value: Any) -> Any:
        return value.lower() if isinstance(value, str) else value


_SECTIONS = {
    name: {inner.alias or key for key, inner in field.annotation.model_fields.items()}
    for name, field in Settings.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, Section)
}
"""The names of the sections, each with those of its settings."""


def unknown_settings() -> list[str]:
    """Variables EVEROS_* and keys of the config file that no setting reads: misspelt, or of another version. Whoever
    uses the settings says so."""
    path = config_file()
    unknown = [f"{part} in {path.name}" for part in _unread(from_file(path))]
    for variable, said in from_variables():
        in_json = variable.lower().removeprefix("everos_") in _SECTIONS
        unknown += [f"{part} in {variable}" if in_json else variable for part in _unread(said)]
    return sorted(unknown)


def _unread(written: dict[str, Any]) -> list[str]:
    unread: list[str] = []
    for name, value in written.items():
        if name in Settings.model_fields and name not in _SECTIONS:
            continue
        known = _SECTIONS.get(name, set())
        if isinstance(value, dict) and (value or known):
            unread += [f"{name}.{key}" for key in value if key not in known]
        else:
            unread.append(name)
    return unread


def load(**overrides: Any) -> Settings:
    """The settings in force. `overrides` are sections given by a caller, e.g. command-line options."""
    try:
        return Settings.model_validate(merged(settings(), overrides))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        # below the setting itself, pydantic names the types that it tried
        place = _place([str(part) for part in first["loc"][:2]])
        raise Misconfigured(f"{place}: {first['msg'].removeprefix('Value error, ')}") from None
    except OSError as error:  # a file without rights; the text of the error names it
        raise Misconfigured(f"the configuration cannot be read: {error}") from None


def mcp_section(environ: Mapping[str, str]) -> McpSection:
    """What a client says for itself with the variables EVEROS_MCP*, over what the config file says for all."""
    written = from_file(config_file())
    for _, said in from_variables(environ):
        written = merged(written, said)
    try:
        return McpSection.model_validate(written.get("mcp") or {})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise Misconfigured(f"setting EVEROS_MCP__{str(first['loc'][0]).upper()}: {first['msg']}") from None


def _place(parts: list[str]) -> str:
    """Where a person finds the setting that is wrong."""
    variables = ["EVEROS_" + "__".join(parts[:end]).upper() for end in range(len(parts), 0, -1)]
    if {name.upper() for name in os.environ}.isdisjoint(variables):
        return f"{'.'.join(parts)} in {config_file()}"
    return f"setting {variables[0]}"
