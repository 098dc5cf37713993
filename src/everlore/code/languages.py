"""Which language a file is in, and what counts as a definition there.

A definition is found by a tree-sitter query whose captures are named after the kind of chunk. Grammars come inside
wheels: nothing is downloaded, and a grammar is loaded only when the first file of its language is read.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Query

CONTAINERS = frozenset(["class", "struct", "impl", "trait", "interface", "module", "enum"])
"""Kinds of chunks that have members of their own."""

_JAVASCRIPT = """
(function_declaration) @function (generator_function_declaration) @function
(class_declaration) @class (method_definition) @function
(lexical_declaration (variable_declarator value: [(arrow_function) (function_expression)])) @function
(variable_declaration (variable_declarator value: [(arrow_function) (function_expression)])) @function
(expression_statement (assignment_expression right: [(arrow_function) (function_expression)])) @function
(lexical_declaration (variable_declarator value: (class))) @class
(field_definition value: (arrow_function)) @function
"""
_C = """
(function_definition) @function (type_definition type: (struct_specifier body: (_))) @struct
(struct_specifier body: (_)) @struct (union_specifier body: (_)) @struct (enum_specifier body: (_)) @enum
"""


@dataclass(frozen=True, slots=True)
class Syntax:
    module: str
    query: str
    maker: str = "language"


SYNTAXES = {
    "python": Syntax("tree_sitter_python", "(function_definition) @function (class_definition) @class"),
    "javascript": Syntax("tree_sitter_javascript", _JAVASCRIPT),
    "typescript": Syntax(
        "tree_sitter_typescript",
        _JAVASCRIPT.replace("field_definition", "public_field_definition")
        + "(abstract_class_declaration) @class (interface_declaration) @interface (enum_declaration) @enum"
        " (type_alias_declaration) @other (internal_module) @module (module) @module",
        "language_typescript",
    ),
    "rust": Syntax(
        "tree_sitter_rust",
        "(function_item) @function (struct_item) @struct (union_item) @struct (enum_item) @enum (trait_item) @trait"
        " (impl_item) @impl (mod_item body: (_)) @module (macro_definition) @function",
    ),
    "go": Syntax(
        "tree_sitter_go",
        "(function_declaration) @function (method_declaration) @method"
        " (type_declaration (type_spec type: (struct_type))) @struct"
        " (type_declaration (type_spec type: (interface_type))) @interface",
    ),
    "java": Syntax(
        "tree_sitter_java",
        "(class_declaration) @class (record_declaration) @class (interface_declaration) @interface"
        " (annotation_type_declaration) @interface (enum_declaration) @enum (method_declaration) @function"
        " (constructor_declaration) @function",
    ),
    "c": Syntax("tree_sitter_c", _C),
    "cpp": Syntax(
        "tree_sitter_cpp",
        _C + "(class_specifier body: (_)) @class (namespace_definition) @module (concept_definition) @other",
    ),
    "ruby": Syntax(
        "tree_sitter_ruby", "(method) @function (singleton_method) @function (class) @class (module) @module"
    ),
    "php": Syntax(
        "tree_sitter_php",
        "(function_definition) @function (method_declaration) @function (class_declaration) @class"
        " (interface_declaration) @interface (trait_declaration) @trait (enum_declaration) @enum",
        "language_php",
    ),
    "csharp": Syntax(
        "tree_sitter_c_sharp",
        "(class_declaration) @class (record_declaration) @class (struct_declaration) @struct"
        " (interface_declaration) @interface (enum_declaration) @enum (namespace_declaration) @module"
        " (method_declaration) @function (constructor_declaration) @function (local_function_statement) @function",
    ),
    "bash": Syntax("tree_sitter_bash", "(function_definition) @function"),
    "kotlin": Syntax(
        "tree_sitter_kotlin", "(function_declaration) @function (class_declaration) @class (object_declaration) @class"
    ),
    "swift": Syntax(
        "tree_sitter_swift",
        "(function_declaration) @function (init_declaration) @function (class_declaration) @class"
        " (protocol_declaration) @interface",
    ),
    "scala": Syntax(
        "tree_sitter_scala",
        "(function_definition) @function (class_definition) @class (object_definition) @class"
        " (trait_definition) @trait (enum_definition) @enum",
    ),
}

_EXTENSIONS = """
python: py pyi pyw, javascript: js jsx mjs cjs, typescript: ts tsx mts cts, rust: rs, go: go, java: java, c: c h,
cpp: cc cpp cxx c++ hpp hh hxx h++ ipp inl cu cuh, ruby: rb rake gemspec, php: php, csharp: cs, bash: sh bash zsh,
kotlin: kt kts, swift: swift, scala: scala sc, markdown: md markdown mdx rst adoc, toml: toml, yaml: yaml yml,
json: json jsonc json5, html: html htm vue svelte astro, css: css scss sass less, sql: sql, xml: xml xsd xsl plist,
ini: ini cfg conf properties editorconfig, protobuf: proto, graphql: graphql gql, terraform: tf tfvars hcl, dart: dart,
lua: lua, perl: pl pm, r: r, julia: jl, elixir: ex exs, erlang: erl hrl, haskell: hs, ocaml: ml mli,
clojure: clj cljs cljc, fsharp: fs fsx, groovy: groovy gradle, objectivec: m mm, zig: zig, nim: nim,
powershell: ps1 psm1, batch: bat cmd, vim: vim, tex: tex, assembly: s asm, cmake: cmake, make: mk mak, text: txt text
"""
_NAMES = """
dockerfile: dockerfile containerfile, make: makefile gnumakefile justfile, cmake: cmakelists.txt,
ruby: rakefile gemfile vagrantfile, groovy: jenkinsfile, python: build workspace, text: readme license changelog,
go.mod: go.mod
"""
"""By language, how the names of its files end, and names that are known as a whole."""


def _languages(described: str) -> dict[str, str]:
    """`go: go, ruby: rb rake` as {"go": "go", "rb": "ruby", "rake": "ruby"}."""
    by_language = (one.split(": ") for one in " ".join(described.split()).split(", "))
    return {word: language for language, words in by_language for word in words.split()}


BY_EXTENSION = _languages(_EXTENSIONS)
BY_NAME = _languages(_NAMES)
_INTERPRETERS = {"python": "python", "node": "javascript", "bash": "bash", "sh": "bash", "zsh": "bash", "ruby": "ruby"}


def language_of(path: str, first_line: str = "") -> str | None:
    """The language by the file's name, else by its `#!` line; None when it is none of ours."""
    name = PurePosixPath(path).name.casefold()
    known = BY_NAME.get(name) or BY_EXTENSION.get(PurePosixPath(name).suffix.lstrip("."))
    if known or not first_line.startswith("#!"):
        return known
    words = first_line[2:].replace("/", " ").split()
    program = next((word for word in reversed(words) if not word.startswith("-")), "").rstrip("0123456789.")
    return _INTERPRETERS.get(program)


@lru_cache(maxsize=64)
def grammar(language: str, tsx: bool = False) -> tuple[Language, Query] | None:
    """The grammar and the query for definitions; None for languages that are read as paragraphs."""
    syntax = SYNTAXES.get(language)
    if syntax is None:
        return None
    from tree_sitter import Language, Query  # of an extra

    maker = "language_tsx" if tsx and language == "typescript" else syntax.maker
    made = Language(getattr(importlib.import_module(syntax.module), maker)())
    return made, Query(made, syntax.query)
