"""Chunks: exact lines in every language, nothing lost and nothing twice, whatever the text is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.code.chunks import LONGEST, PIECE, Chunk, cut
from everlore.code.languages import CONTAINERS, SYNTAXES

PYTHON = '''"""Doc."""
import os

LIMIT = 1

# about f
@decorated
def f(a):
    """Doc f."""
    return a


class A(B):
    """Doc A."""

    attribute = 3

    @property
    def m(self):
        return 1

    async def n(self): pass


if LIMIT:
    def g(): pass
'''


JAVASCRIPT = """import x from "y";
/** doc */
export const add = (a, b) => {
  return a + b;
};
export default class Foo extends Bar {
  constructor() { super(); }
  /** get */
  get value() { return 1; }
  handler = () => { };
}
module.exports.z = function (a) { return a; };
function* gen() {}
"""


TYPESCRIPT = """export interface User { id: number }
type A = string | number;
enum Color { Red }
namespace NS {
  export function q() {}
}
abstract class S {
  abstract a(): void;
  private b(): string { return "" }
}
"""


RUST = """use std::io;

/// A point.
#[derive(Debug)]
pub struct Point { x: i32 }

impl Point {
    /// New.
    pub fn new() -> Self {
        Point { x: 0 }
    }
}
impl fmt::Display for Point {
    fn fmt(&self) -> R { Ok(()) }
}
pub trait Shape { fn area(&self) -> f64; }
enum E { A, B }
mod tests {
    #[test]
    fn works() { assert!(true); }
}
fn main() {
    println!("hi");
}
"""


GO = """package main

import "fmt"

// User is.
type User struct {
	Name string
}

// Greet greets.
func (u *User) Greet() string {
	return u.Name
}

type I interface { Do() }

func main() { fmt.Println("x") }
"""


JAVA = """package a;
/** Doc. */
public class Foo {
    private int x;
    public Foo(int x) { this.x = x; }
    @Override
    public String toString() {
        return "";
    }
    enum Kind { A }
}
interface Bar { void go(); }
"""


C = """#include <stdio.h>
/* doc */
typedef struct node { int v; } node_t;
struct plain { int a; };
enum color { RED };
static int *make(int a) {
    return 0;
}
#ifdef X
int only_x(void) { return 1; }
#endif
"""


CPP = """namespace ns {
template <typename T>
class Box : public Base {
 public:
  explicit Box(T v) : v_(v) {}
  T& get() const { return v_; }
};
int other(int a) { return a; }
}
"""


OTHERS = {
    "ruby": "module M\n  class A < B\n    # doc\n    def run(x)\n      x\n    end\n  end\nend\n",
    "php": "<?php\nclass Foo {\n    public function go($x) { return 1; }\n}\nfunction helper() { return 2; }\n",
    "csharp": "namespace N {\n  public class Foo {\n    [Attr]\n    public int Go(int x) { return 1; }\n  }\n}\n",
    "bash": "set -e\ngreet() {\n  echo hi\n}\nfunction other { echo; }\n",
    "kotlin": "class Foo(val x: Int) {\n    fun go(): Int = 1\n}\nfun top(a: Int): Int { return a }\n",
    "swift": "struct P {\n  func go() -> Int { return 1 }\n}\nclass C {\n  init() {}\n}\nfunc top() {}\n",
    "scala": "object Main extends App {\n  def go(x: Int): Int = x\n}\ntrait T { def q: Int }\n",
}


WANTED = {
    "python": [
        "1-4 other None", "6-10 function f", "13-22 class A", "18-20 method m", "22-22 method n", "25-25 other None",
        "26-26 function g",
    ],
    "javascript": [
        "1-1 other None", "2-5 function add", "6-11 class Foo", "7-7 method constructor", "8-9 method value",
        "10-10 method handler", "12-12 function module.exports.z", "13-13 function gen",
    ],
    "typescript": [
        "1-1 interface User", "2-2 other A", "3-3 enum Color", "4-6 module NS", "5-5 function q", "7-10 class S",
        "9-9 method b",
    ],
    "rust": [
        "1-1 other None", "3-5 struct Point", "7-12 impl Point", "8-11 method new", "13-15 impl fmt::Display for Point",
        "14-14 method fmt", "16-16 trait Shape", "17-17 enum E", "18-21 module tests", "19-20 function works",
        "22-24 function main",
    ],
    "go": [
        "1-3 other None", "5-8 struct User", "10-13 method Greet", "15-15 interface I", "17-17 function main",
    ],
    "java": [
        "1-1 other None", "2-11 class Foo", "5-5 method Foo", "6-9 method toString", "10-10 enum Kind",
        "12-12 interface Bar",
    ],
    "c": [
        "1-1 other None", "2-3 struct node_t", "4-4 struct plain", "5-5 enum color", "6-8 function make",
        "9-9 other None", "10-10 function only_x",
    ],
    "cpp": [
        "1-9 module ns", "2-7 class Box", "5-5 method Box", "6-6 method get", "8-8 function other",
    ],
    "ruby": ["1-8 module M", "2-7 class A", "3-6 method run"],
    "php": ["2-4 class Foo", "3-3 method go", "5-5 function helper"],
    "csharp": ["1-6 module N", "2-5 class Foo", "3-4 method Go"],
    "bash": ["1-1 other None", "2-4 function greet", "5-5 function other"],
    "kotlin": ["1-3 class Foo", "2-2 method go", "4-4 function top"],
    "swift": ["1-3 struct P", "2-2 method go", "4-6 class C", "5-5 method init", "7-7 function top"],
    "scala": ["1-3 class Main", "2-2 method go", "4-4 trait T"],
}  # fmt: skip


SOURCES = {
    "python": PYTHON,
    "javascript": JAVASCRIPT,
    "typescript": TYPESCRIPT,
    "rust": RUST,
    "go": GO,
    "java": JAVA,
    "c": C,
    "cpp": CPP,
    **OTHERS,
}


def assert_whole(text: str, chunks: list[Chunk]) -> None:
    """Contents are the source lines; ranges are in order, apart from each other or inside a container."""
    lines = text.split("\n")
    for chunk in chunks:
        assert 1 <= chunk.start <= chunk.end <= len(lines)
        assert chunk.content == "\n".join(lines[chunk.start - 1 : chunk.end])
    assert [chunk.start for chunk in chunks] == sorted(chunk.start for chunk in chunks)
    for one in chunks:
        for other in chunks:
            if one is not other and one.start <= other.start <= one.end:
                assert one.type in CONTAINERS
                assert other.end <= one.end
    covered = {row for chunk in chunks for row in range(chunk.start, chunk.end + 1)}
    for number, line in enumerate(lines, start=1):
        if number not in covered:
            assert len(re.findall(r"\w+", line)) < 2, f"line {number} is lost: {line!r}"


def test_there_is_a_test_for_every_grammar() -> None:
    assert set(SOURCES) == set(SYNTAXES) == set(WANTED)


@pytest.mark.parametrize("language", sorted(SOURCES))
def test_definitions_have_their_exact_lines(language: str) -> None:
    chunks = cut(SOURCES[language], language)
    assert [f"{chunk.start}-{chunk.end} {chunk.type} {chunk.name}" for chunk in chunks] == WANTED[language]
    assert_whole(SOURCES[language], chunks)


def test_breadcrumbs_say_where_a_chunk_is() -> None:
    crumbs = {chunk.name: chunk.breadcrumb for chunk in cut(RUST, "rust") if chunk.name}
    assert crumbs["new"] == "impl Point > method new"
    assert crumbs["works"] == "module tests > function works"
    assert {c.name: c.breadcrumb for c in cut(GO, "go")}["Greet"] == "User > method Greet"


def test_a_long_class_is_its_head_and_its_methods_and_no_text_comes_twice() -> None:
    methods = ""
    for n in range(12):
        methods += f"    def method_{n}(self):\n"
        methods += "".join(f"        only_{n}_{line} = {line}\n" for line in range(20)) + "\n"
    text = f'class Big:\n    """About it."""\n\n    field = 1\n\n{methods}    last_field = 2\n'
    assert len(text) > LONGEST
    chunks = cut(text, "python")
    assert [chunk.type for chunk in chunks] == ["class"] + ["method"] * 12 + ["other"]
    assert chunks[0].content == 'class Big:\n    """About it."""\n\n    field = 1\n'
    assert chunks[-1].content == "    last_field = 2"
    assert chunks[-1].breadcrumb == "class Big"
    assert all(sum(chunk.content.count(f"only_{n}_3 ") for chunk in chunks) == 1 for n in range(12))
    assert_whole(text, chunks)


def test_the_head_of_a_class_names_its_methods() -> None:
    [head] = [chunk for chunk in cut(JAVA, "java") if chunk.name == "Foo" and chunk.type == "class"]
    assert "toString" in head.own
    assert "return" not in head.own, "the text of a method belongs to the method"
    assert "return" in head.content


def test_a_very_long_function_is_cut_where_statements_begin() -> None:
    body = "".join(f"    if value_{n}:\n        call_{n}(\n            value_{n},\n        )\n" for n in range(200))
    text = f"def long(value):\n{body}"
    chunks = cut(text, "python")
    assert len(chunks) > 3
    assert {(chunk.type, chunk.name) for chunk in chunks} == {("function", "long")}
    assert all(len(chunk.content) <= PIECE for chunk in chunks)
    assert all(chunk.content.startswith("    if value_") for chunk in chunks[1:])
    assert "\n".join(chunk.content for chunk in chunks) + "\n" == text


@pytest.mark.parametrize(
    "broken",
    ["def f(:\n    return (((\nclass X\n def y()\n", "fn main( { let x = ;;; }}}} struct", "}}}}((((\nfoo bar baz\n"],
)
@pytest.mark.parametrize("language", ["python", "rust", "javascript", "go"])
def test_broken_syntax_still_gives_chunks(broken: str, language: str) -> None:
    chunks = cut(broken, language)
    assert chunks
    assert_whole(broken, chunks)


def test_other_texts_are_packed_in_paragraphs() -> None:
    text = "# Title\n\n" + "\n\n".join(f"Paragraph {n} says so {'and so ' * 30}." for n in range(30)) + "\n"
    chunks = cut(text, "markdown")
    assert len(chunks) > 3
    assert all(len(chunk.content) <= 1500 for chunk in chunks)
    assert all(chunk.content.startswith("Paragraph") for chunk in chunks[1:])
    assert {chunk.breadcrumb for chunk in chunks} == {"Title"}
    assert_whole(text, chunks)


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n", "}\n", "   \n\t\n"])
def test_nothing_gives_nothing(text: str) -> None:
    assert cut(text, "python") == cut(text, "markdown") == []


def test_a_c_header_with_classes_is_read_as_cpp() -> None:
    assert [chunk.type for chunk in cut("class Foo {\n  int a() { return 1; }\n};\n", "c", "x.h")] == [
        "class",
        "method",
    ]


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_no_line_is_lost_or_doubled_in_any_mixture(data: st.DataObject) -> None:
    language = data.draw(st.sampled_from(sorted(SOURCES)))
    pieces = st.sampled_from(
        [*re.split(r"\n(?=\S)", SOURCES[language]), "", "}", "one two three", "    indented words"]
    )
    parts = data.draw(st.lists(pieces, max_size=12))
    text = "\n".join(f"{part}\nmarker_{number} = value_{number};" for number, part in enumerate(parts))
    chunks = cut(text, language)
    assert_whole(text, chunks)
    for number in range(len(parts)):
        assert sum(len(re.findall(rf"\bvalue_{number}\b", chunk.own)) for chunk in chunks) == 1


@given(st.text(alphabet=st.sampled_from("ab (){}[];:\n\t\"'#/*\\=.,<>@é\U0001f600"), max_size=300))
@settings(max_examples=100, deadline=None)
def test_any_text_is_cut_into_its_own_lines(text: str) -> None:
    for language in ("python", "javascript", "rust", "markdown"):
        assert_whole(text, cut(text, language))
