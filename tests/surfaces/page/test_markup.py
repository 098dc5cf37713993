"""Markup is safe by construction."""

from __future__ import annotations

from everlore.surfaces.page.markup import Html, el, join, marked, table


def test_text_is_escaped_and_markup_is_not() -> None:
    made = el("p.meta.past", "<b>", el("i", "&"), None, ["a", 2], data_do='x"y', for_="z", hidden=True, open=False)
    assert made == '<p class="meta past" data-do="x&quot;y" for="z" hidden>&lt;b&gt;<i>&amp;</i>a2</p>'
    assert el("br") == "<br>"
    assert el("input", value="'") == '<input value="&#x27;">'
    assert join(["<", Html("<hr>"), False]) == "&lt;<hr>"


def test_words_of_the_question_are_marked_and_the_rest_is_text() -> None:
    assert marked("I <b>live</b> here", "where do they live") == "I &lt;b&gt;<mark>live</mark>&lt;/b&gt; here"
    assert marked("nothing & all", "") == "nothing &amp; all"


def test_a_table_has_a_caption_and_heads() -> None:
    made = table("Two <rows>", ["A"], [["x"], [el("th", "y", scope="row")], [el("time", "z")]])
    assert 'aria-label="Two &lt;rows&gt;"' in made
    assert '<th scope="col">A</th>' in made
    assert '<tr><td>x</td></tr><tr><th scope="row">y</th></tr><tr><td><time>z</time></td></tr>' in made
