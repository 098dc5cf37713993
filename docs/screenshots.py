"""Pictures of the page for README and guides, from a vault that is told here: `python docs/screenshots.py`. Needs
Chromium and the packages of the tests."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tests" / "support"))

from browsing import chromium, tab, tell  # noqa: E402 - found only from here on
from serving import Server, running  # noqa: E402

IMAGES = ROOT / "docs" / "images"
WIDE, NARROW = {"width": 1200, "height": 800}, {"width": 360, "height": 720}
PICTURES = (
    ("page-ask", "/?q=where+do+I+live", WIDE, "light"),
    ("page-timeline", "/timeline?at=2026-07-10", WIDE, "light"),
    ("page-people", "/people?most=50", WIDE, "dark"),
    ("page-profile", "/profile", WIDE, "light"),
    ("page-narrow", "/?q=where+do+I+live", NARROW, "dark"),
)
TALKS = (
    (
        "I live in Berlin and I work at Acme Industries.",
        "How do you like it?",
        "The parks are lovely. My sister Lena lives in Hamburg.",
    ),
    (
        "Bob Miller and I climbed the Zugspitze.",
        "How was it?",
        "Cold! I am allergic to peanuts, so his snacks were no help.",
    ),
    ("Please answer me in short sentences from now on.", "I will.", "I use PostgreSQL for Project Heron."),
    ("I moved to Lisbon last week.", "What made you move?", "I started at Nordlicht as a data engineer."),
    ("Marta Silva shows me the city.", "Lovely.", "Marta Silva and Bob Miller both work on Project Heron now."),
    ("I adopted a dog called Bruno.", "Congratulations!", "Bruno loves the beach at Cascais."),
    ("Project Heron moves from PostgreSQL to DuckDB.", "Why?", "It is quicker for what Nordlicht does."),
    ("My favourite food is grilled sardines.", "Of course.", "Lena visits me in Lisbon in October."),
)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "vault") as server:
        tell(server, "anna", *TALKS, days=19)
        take(server)


def take(server: Server) -> None:
    with chromium() as browser:
        for name, path, size, scheme in PICTURES:
            with tab(browser, server, viewport=size, color_scheme=scheme) as window:
                page = window.open(path)
                page.wait_for_timeout(1500)
                page.screenshot(path=IMAGES / f"{name}.png")


if __name__ == "__main__":
    main()
