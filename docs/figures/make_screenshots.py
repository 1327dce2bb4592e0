"""Take the pictures of the page that `obl play` serves, with an installed Chromium (apt-get install chromium).

    python docs/figures/make_screenshots.py [FOLDER]

writes PNG files into FOLDER (this one if left out). The games are played by the zoo's agent at both seats, on fixed
deals, so that the pictures change only when the page or the agent does.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from offbelief.agents.loading import load_agent
from offbelief.agents.remembering import Seated
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.web.hall import Hall
from offbelief.interfaces.web.offers import Offers
from offbelief.interfaces.web.server import serve_in_thread
from offbelief.interfaces.web.shelf import Shelf
from offbelief.interfaces.web.table import HUMAN, Table, TableSettings

AGENT = "obl-4-f"
FLAGS = ["--no-sandbox", "--headless", "--disable-background-networking"]


def play(shelf: Shelf, *, seed: int, turns: int | None, open_mind: bool = False) -> str:
    """Save a game of some turns (all if None), played by the agent at both seats; returns its id."""
    settings = TableSettings(variant=HanabiVariant(), seats=(HUMAN, AGENT), seed=seed, is_seed_known=True)
    table = Table.deal(settings, open_mind=open_mind)
    players = [Seated(load_agent(AGENT), seat, table.positions[0], table.variant) for seat in range(2)]
    while not table.is_over and (turns is None or table.turn < turns):
        acting = players[int(table.positions[-1]["acting_seat"][0])]
        moves = acting.act(table.positions[-1], np.array([0]), table.coins(table.turn))
        table.play(int(moves[0]))
        for player in players:
            player.watch(table.positions[-2], moves, table.positions[-1])
    shelf.save(table)
    return table.id


def take(folder: Path) -> list[Path]:
    """Take every picture; returns their paths."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("There is no Chromium here; install one first (apt-get install chromium).")
    taken = []

    def keep(page: Page, name: str) -> None:
        taken.append(folder / f"play-{name}.png")
        page.wait_for_timeout(600)  # arrows have dropped, cards have turned
        page.screenshot(path=str(taken[-1]))
        with Image.open(taken[-1]) as picture:  # 256 well-chosen colours: a third of the bytes
            colours = picture.convert("RGB").quantize(256, kmeans=3, dither=Image.Dither.NONE)
        colours.save(taken[-1], optimize=True)

    with tempfile.TemporaryDirectory() as games, sync_playwright() as playwright:
        shelf = Shelf(Path(games))
        running = play(shelf, seed=11, turns=24)
        thinking = play(shelf, seed=7, turns=25, open_mind=True)
        finished = play(shelf, seed=7, turns=None)
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        hall = Hall(Offers(AGENT, Path("no runs")), shelf)
        with serve_in_thread(hall) as address:
            page = browser.new_page(viewport={"width": 1180, "height": 860})
            page.goto(f"{address}/#/game/{running}")
            page.wait_for_selector(".controls")
            page.locator(".hint:not([aria-disabled])").first.click()
            keep(page, "table")
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(f"{address}/#/game/{thinking}/24")
            page.wait_for_selector("#mind .bars li.chosen")
            page.click("[data-key=imagine]")
            page.wait_for_selector(".dream")
            keep(page, "mind")
            page.goto(f"{address}/#/game/{finished}")
            page.wait_for_selector("#mind")
            page.select_option("[data-key=select-Beside]", "bot:piers")
            page.wait_for_selector(".compared h4")
            page.click("[data-key=disagree-first]")
            page.wait_for_selector(".columns.two")
            keep(page, "compare")
            phone = browser.new_page(viewport={"width": 375, "height": 740}, device_scale_factor=1.5)
            phone.goto(f"{address}/#/game/{running}")
            phone.wait_for_selector(".controls")
            keep(phone, "phone")
            browser.close()
    return taken


if __name__ == "__main__":
    for picture in take(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent):
        print(picture)
