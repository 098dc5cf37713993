// What the browser does by itself: it tells where somebody goes and what they do, and keeps their theme.
(() => {
  const cookie = (name) => document.cookie.split("; ").find((one) => one.startsWith(`${name}=`))?.split("=")[1] ?? "";
  const keep = (name, value) => { document.cookie = `${name}=${value}; path=/; max-age=31536000; samesite=lax`; };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const send = (name, data) => window.emitEvent?.(name, data);
  let told;

  function dress() {
    const theme = cookie("everlore_theme") || "auto";
    const dark = theme === "dark" || (theme === "auto" && system.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    keep("everlore_dark", dark ? "1" : "0");
    if (told !== undefined && told !== dark) {  // charts are drawn in the server's colours
      told = dark;
      send("dark", { dark });
    }
    document.querySelectorAll("select[data-cookie=everlore_theme]").forEach((one) => { one.value = theme; });
  }
  system.addEventListener("change", dress);
  dress();

  const here = () => location.pathname + location.search;

  function go(address, fresh = true, replace = false) {
    if (address !== here()) history[replace ? "replaceState" : "pushState"](null, "", address);
    send("go", { address, fresh });
  }

  function addressOf(form) {
    const asked = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      const range = form.elements[name];
      const meant = range?.type === "range" ? shownDay(range) : value;
      if (meant !== "") asked.append(name, meant);
    }
    return form.dataset.live + (asked.size ? `?${asked}` : "");
  }

  const valuesOf = (form) => (form ? Object.fromEntries(new FormData(form)) : {});
  const act = (element, form) => send("do", { ...valuesOf(form), ...element.dataset });

  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="/"]');
    if (link && !link.target && event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
      if (link.getAttribute("href").startsWith("/device")) return;
      event.preventDefault();
      go(link.getAttribute("href"));
      return;
    }
    const button = event.target.closest("button[data-do]");
    if (button) {
      event.preventDefault();
      const form = button.dataset.with ? document.getElementById(button.dataset.with) : button.closest("form");
      act(button, form);
    }
    if (event.target.id === "dialog") send("do", { do: "close" });
  });

  let waiting;
  function typed(event) {
    const kept = event.target.dataset?.cookie;
    if (kept && event.type === "change") {
      keep(kept, event.target.value);
      if (kept === "everlore_theme") dress(); else location.reload();
      return;
    }
    const output = event.target.form?.querySelector(`output[for="${event.target.id}"]`);
    if (output && event.target.type === "range") output.value = shownDay(event.target);
    const form = event.target.closest("form[data-live]");
    if (!form) return;
    clearTimeout(waiting);
    const fresh = event.target.name === "owner" || "fresh" in event.target.dataset;
    const pause = event.target.type === "range" ? 40 : event.type === "input" ? 130 : 0;
    waiting = setTimeout(() => go(addressOf(form), fresh, true), pause);
  }
  const shownDay = (range) => new Date((Number(range.dataset.first) + Number(range.value)) * 86400000).toISOString().slice(0, 10);
  document.addEventListener("input", typed);
  document.addEventListener("change", (event) => { if (event.target.tagName === "SELECT" || event.target.dataset?.cookie) typed(event); });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.dataset.live !== undefined) {
      event.preventDefault();
      clearTimeout(waiting);
      go(addressOf(form), false, true);
    } else if (form.dataset.do) {
      event.preventDefault();
      act(form, form);
    }
  });

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const box = document.querySelector("input[type=search]");
      if (box) { event.preventDefault(); box.focus(); box.select(); } else { event.preventDefault(); go("/"); }
    }
  });
  addEventListener("popstate", () => send("go", { address: here(), fresh: true }));

  // the dialog is open as long as there is something in it
  const watch = new MutationObserver(() => {
    const dialog = document.getElementById("dialog");
    if (!dialog) return;
    const full = dialog.childElementCount > 0;
    if (full && !dialog.open) dialog.showModal();
    if (!full && dialog.open) dialog.close();
  });
  addEventListener("DOMContentLoaded", () => watch.observe(document.body, { childList: true, subtree: true }));
  document.addEventListener("cancel", (event) => { if (event.target.id === "dialog") send("do", { do: "close" }); }, true);

  let fading;
  window.everlore = {
    go,
    arrived(title, moved, dark) {
      told = dark;
      document.title = title;
      document.querySelector(".q-page")?.setAttribute("role", "presentation");  // ours is the main region
      dress();
      const views = document.querySelector(".views"), shown = views?.querySelector("[aria-current]");
      if (shown) views.scrollLeft = shown.offsetLeft - views.clientWidth / 3;  // where they stand in a row
      if (moved) { scrollTo(0, 0); document.getElementById("main")?.focus({ preventScroll: true }); }
    },
    said() { clearTimeout(fading); fading = setTimeout(() => { document.getElementById("said").replaceChildren(); }, 12000); },
  };
})();
