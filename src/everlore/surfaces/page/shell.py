"""The frame around every view, carried to the browser by NiceGUI: navigation, regions, and what a person does there.

The browser sends two things: where it goes, and what is to be done. A view answers with markup, and the region that
shows it is changed. While one answer is made, only the latest wish waits.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fastapi import FastAPI
from nicegui import background_tasks, ui
from starlette.datastructures import State
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request

from everlore.errors import Denied, EverloreError, NotFound
from everlore.logs import get_logger
from everlore.surfaces.http.middleware import is_loopback
from everlore.surfaces.page.frame import HEAD, dialog_of, header, navigation, skeleton, status
from everlore.surfaces.page.markup import el, join
from everlore.surfaces.page.texts import preferred, texts
from everlore.surfaces.page.views import base, registry
from everlore.surfaces.page.visit import Place, Visit

AT_ONCE = 0.25
"""Seconds in which an answer is worth waiting for, before its place is shown empty."""
LONGEST_VALUE = 200_000
PATHS = ("/", "/{view}", "/{view}/{name:path}")

log = get_logger("everlore.page")


def make(state: State) -> FastAPI:
    """The application that carries the page. NiceGUI has one for each process."""
    carrier = FastAPI(openapi_url=None)
    packed = None if is_loopback(state.engine.settings.api.host) else GZipMiddleware
    ui.run_with(
        carrier,
        title="Everlore",
        dark=None,
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=10.0,
        message_history_length=200,
        binding_refresh_interval=None,
        gzip_middleware_factory=packed,
    )
    for path in PATHS:
        ui.page(path, title="Everlore")(_page(state))
    return carrier


def _page(state: State) -> Any:
    async def page(request: Request) -> None:
        session = request.state.session
        who = await asyncio.to_thread(state.door.sessions.who, session)
        cookies = request.cookies
        words = texts(preferred(cookies.get("everlore_language", ""), request.headers.get("accept-language", "")))
        visit = Visit(state, session, who, words, dark=cookies.get("everlore_dark") == "1")
        query = f"?{request.url.query}" if request.url.query else ""
        tab = Tab(visit, Place.of(request.url.path + query))
        ui.add_head_html(HEAD.replace("{language}", words.language))
        await tab.open()

    return page


class Tab:
    """One window of a browser."""

    def __init__(self, visit: Visit, place: Place) -> None:
        self.visit = visit
        self.place = place
        self._wanted: tuple[Place, bool] | None = None
        self._busy = False
        self._shown_chart: Mapping[str, Any] | None = None

    async def open(self) -> None:
        self.client = ui.context.client
        self.header = ui.html(header(self.visit, self.place), tag="header").classes("top")
        self.navigation = (
            ui.html(navigation(self.visit, self.place), tag="nav")
            .props(f'aria-label="{self.visit.words("nav.label")}"')
            .classes("views")
        )
        self.main = ui.element("main").props("id=main tabindex=-1")
        with self.main:
            self.controls = ui.html("", tag="div").classes("controls-region")
            self.charts = ui.element("div").classes("charts")
            self.content = ui.html(skeleton(), tag="div").classes("content").props("id=content aria-busy=true")
        self.dialog = ui.html("", tag="dialog").props("id=dialog aria-labelledby=dialog-title")
        self.status = ui.html("", tag="div").props("role=status aria-live=polite id=said")
        ui.on("go", self._on_go)
        ui.on("do", self._on_do)
        ui.on("dark", self._on_dark)
        self.timer = ui.timer(1.0, self._again, active=False)
        work = background_tasks.create(self.go(self.place, fresh=True))
        await asyncio.wait([work], timeout=AT_ONCE)

    async def go(self, place: Place, *, fresh: bool) -> None:
        """Show another place; of several that are asked for while one is made, only the last."""
        self._wanted = (place, fresh or bool(self._wanted and self._wanted[1]))
        if self._busy:
            return
        self._busy = True
        try:
            while self._wanted is not None:
                (place, fresh), self._wanted = self._wanted, None
                await self._show(place, fresh)
        finally:
            self._busy = False

    async def _show(self, place: Place, fresh: bool) -> None:
        visit, view = self.visit, registry.view(place.view)
        try:
            controls = None
            if fresh:
                visit.check()
                made = await visit.run(view.controls, visit, place) if view.controls else None
                controls = join([None if place.name else el("h1.title", visit.words(f"nav.{view.name}")), made])
            shown = await visit.run(view.content, visit, place, searching=view.name == "ask")
        except Denied:
            self._leave()
            return
        except NotFound:
            shown = registry.nothing_there(visit, place)
        except EverloreError as error:
            controls, shown = controls if fresh else None, base.Shown(el("p.alert", str(error), role="alert"))
        except Exception:
            log.exception("a view could not be shown", view=place.view)
            shown = base.Shown(el("p.alert", visit.words("common.broken"), role="alert"))
        if self.client.is_deleted or self._wanted is not None:
            return
        moved = fresh and place.view != self.place.view
        self.place = place
        with self.client:
            if fresh:
                self.navigation.set_content(navigation(visit, place))
                self.header.set_content(header(visit, place))
                self.controls.set_content(controls or "")
            self.main.classes(replace=f"view-{view.name}")
            self.content.set_content(shown.html)
            self.content.props(remove="aria-busy")
            self._draw(shown.chart)
            self.timer.interval = view.every or 1.0
            self.timer.active = bool(view.every)
            if fresh:
                name = shown.title or visit.words(f"nav.{view.name}")
                ui.run_javascript(f"everlore.arrived({_js(f'{name} · Everlore')}, {_js(moved)}, {_js(visit.dark)})")

    def _draw(self, chart: Mapping[str, Any] | None) -> None:
        if chart == self._shown_chart:
            return
        known = list(self.charts)
        if chart is None:
            self.charts.clear()
        elif known and self._shown_chart is not None:
            options = known[0].options  # type: ignore[attr-defined]
            options.clear()
            options.update(chart)
            known[0].update()
        else:
            with self.charts:
                ui.echart(dict(chart), on_point_click=self._on_point).props("aria-hidden=true").classes("chart")
        self._shown_chart = chart

    async def _on_point(self, event: Any) -> None:
        data = event.data if isinstance(event.data, dict) else {}
        if isinstance(address := data.get("address"), str):
            ui.run_javascript(f"everlore.go({_js(address)})")

    async def _on_go(self, event: Any) -> None:
        told = event.args if isinstance(event.args, dict) else {}
        if isinstance(address := told.get("address"), str) and address.startswith("/"):
            await self.go(Place.of(address), fresh=bool(told.get("fresh")))

    async def _on_dark(self, event: Any) -> None:
        told = event.args if isinstance(event.args, dict) else {}
        self.visit = replace(self.visit, dark=bool(told.get("dark")))
        await self.go(self.place, fresh=False)

    async def _again(self) -> None:
        if not self._busy:
            await self.go(self.place, fresh=False)

    async def _on_do(self, event: Any) -> None:
        given = {name: value for name, value in _pairs(event.args) if len(value) <= LONGEST_VALUE}
        name = given.pop("do", "")
        if name == "close":
            self.dialog.set_content("")
            return
        view = registry.view(self.place.view)
        action, writing = registry.action(view, name)
        if action is None:
            return
        try:
            self.visit.check(writing=writing)
            done = await self.visit.run(action, self.visit, {**given, "shown": self.place.name})
        except Denied as error:
            if error.why == "scope":
                done = base.Did(str(error), wrong=True, fresh=False)
            else:
                self._leave()
                return
        except EverloreError as error:
            done = base.Did(str(error), wrong=True, fresh=False)
        except Exception:
            log.exception("an action failed", view=view.name, action=name)
            done = base.Did(self.visit.words("common.broken"), wrong=True, fresh=False)
        await self._after(done)

    async def _after(self, done: base.Did) -> None:
        if self.client.is_deleted:
            return
        with self.client:
            if not done.wrong or done.dialog is not None:
                self.dialog.set_content(dialog_of(done))
            if done.said:
                self.status.set_content("")  # said again, also when it is the same
                self.status.set_content(status(self.visit, done))
            if done.go:
                ui.run_javascript(f"everlore.go({_js(done.go)})")
        if done.fresh and not done.go:
            await self.go(self.place, fresh=True)

    def _leave(self) -> None:
        if not self.client.is_deleted:
            with self.client:
                ui.run_javascript(
                    "location.assign('/sign-in?next=' + encodeURIComponent(location.pathname + location.search))"
                )


def _js(value: str | bool) -> str:
    return json.dumps(value)


def _pairs(args: Any) -> list[tuple[str, str]]:
    return (
        [(str(name), value) for name, value in args.items() if isinstance(value, str)] if isinstance(args, dict) else []
    )
