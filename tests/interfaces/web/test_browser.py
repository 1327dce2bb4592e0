"""The page in a real browser: whole games by clicks and by keys, replay, links, mind, phone, reload; no console errors.

Needs an installed Chromium (apt-get install chromium); without one the tests are skipped, except under CI, where they
fail. Set OFFBELIEF_SCREENSHOTS to a folder to keep what was seen.
"""

import json
import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright
from tests.interfaces.web.serving import serving

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--headless", "--disable-background-networking", "--disable-component-update"]
QUICK = "localStorage.setItem('offbelief.preferences', JSON.stringify({pace: 0}))"
COLOUR_KEYS = {"R": "q", "Y": "w", "G": "e", "W": "r", "B": "t"}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("CI needs Chromium: apt-get install chromium")
        pytest.skip("there is no Chromium; install one to test the page (apt-get install chromium)")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("games"), favourite="obl-1-a") as running:
        yield running


@pytest.fixture
def troubles():
    return []


@pytest.fixture
def open_page(browser, served, troubles):
    """Opens pages of one visitor; every message on their consoles is trouble."""
    contexts = []

    def open_one(width=1440, height=900, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        context.add_init_script(QUICK)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: served.address in request.url or troubles.append(f"foreign: {request.url}"))
        page.goto(served.address)
        page.wait_for_selector("[data-key=quick]")
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert [] == [trouble for trouble in troubles if not trouble.startswith("foreign: data:")]


@pytest.fixture
def keep(request):
    """Keeps a screenshot, if somebody wants to look."""

    def keep_one(page: Page, name: str) -> None:
        if folder := os.environ.get("OFFBELIEF_SCREENSHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)

    return keep_one


def set_up(page, *, variant="mini", seats=("human", "bot:iggi"), seed="4", **switches):
    page.select_option("[data-key=variant]", variant)
    for seat, who in enumerate(seats):
        page.select_option(f"[data-key=seat-{seat}]", who)
    page.fill("[data-key=seed]", seed)
    for switch in switches:
        page.check(f"[data-key={switch}]")
    page.click("[data-key=create]")
    page.wait_for_selector(".controls, #ending, .history")


def turn_of(page):
    return int(page.inner_text(".turn-number").split("/")[1])


def wait_for_turn_after(page, turn):
    """Wait until the game went on and it is our turn again, or over."""
    page.wait_for_function(
        """turn => Number(document.querySelector('.turn-number').innerText.split('/')[1]) > turn
                && (document.querySelector('.controls') || document.querySelector('#ending'))""",
        arg=turn,
    )


def legal_hints(page):
    return page.locator(".hint:not([aria-disabled])")


def play_by_clicks(page):
    """One turn: a hint if there is one to give, else discard the oldest card, else play it."""
    turn = turn_of(page)
    if legal_hints(page).count():
        legal_hints(page).first.click()
        assert page.locator(".card.touched").count() > 0  # what the hint touches is shown before it is given
        page.click("[data-key=do-hint]")
    else:
        page.locator(".own .card").last.click()
        page.click("[data-key=do-discard]")
    wait_for_turn_after(page, turn)


def play_by_keys(page):
    turn = turn_of(page)
    if legal_hints(page).count():
        label = legal_hints(page).first.inner_text()
        page.keyboard.press(COLOUR_KEYS.get(label, label))
        page.keyboard.press("Enter")
    else:
        page.keyboard.press("d")
        page.keyboard.press(str(page.locator(".own .card").count()))
    wait_for_turn_after(page, turn)


@pytest.mark.parametrize("play", [play_by_clicks, play_by_keys])
def test_whole_game_is_played(open_page, keep, play):
    page = open_page()
    set_up(page)
    assert "Your turn" == page.inner_text("#turn")
    keep(page, f"start-{play.__name__}")
    while page.locator("#ending").count() == 0:
        play(page)
    keep(page, f"end-{play.__name__}")
    assert "of 9 points" in page.inner_text("#ending")
    assert "Seed 4" in page.inner_text("#ending").replace("\n", " ")
    spoken = page.inner_text("#said")
    assert "You hinted" in spoken and "bot:iggi" in spoken  # the log for screen readers
    first = page.locator(".card").first.get_attribute("aria-label")
    page.click("[data-key=again]")
    page.wait_for_selector(".controls")
    assert 0 == turn_of(page)
    assert first


def test_own_cards_are_face_down_and_hints_leave_marks(open_page):
    page = open_page()
    set_up(page, variant="full-2p", seats=("human", "bot:piers"))
    assert 5 == page.locator(".own .card.back").count()
    assert 5 == page.locator(".hands .card.face").count()
    before = page.locator(".hands .pip:not(.gone)").count()
    play_by_clicks(page)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.locator(".hands .arrow").count() >= 1
    assert page.locator(".hands .card.told").count() == page.locator(".hands .arrow").count()
    assert page.locator(".hands .pip:not(.gone)").count() < before
    page.keyboard.press("End")


def test_replay_permalink_and_history_show_the_same_turn(open_page, served, keep):
    page = open_page()
    set_up(page, seats=("bot:iggi", "bot:piers"))
    page.wait_for_selector("#ending")
    last = turn_of(page)
    page.keyboard.press("End")
    assert f"{last} / {last}" == page.inner_text(".turn-number")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert f"1 / {last}" == page.inner_text(".turn-number")
    page.click("[data-key=turn-5]")
    assert page.url.endswith("/5")
    hands, words = page.inner_text(".hands"), page.inner_text(".banner")
    keep(page, "replay")
    other = open_page()
    other.goto(page.url)
    other.wait_for_function("() => document.querySelector('.turn-number')?.innerText.startsWith('5 /')")
    assert (hands, words) == (other.inner_text(".hands"), other.inner_text(".banner"))


def test_reload_in_mid_game_goes_on(open_page, served):
    page = open_page()
    set_up(page, variant="full-2p", seats=("human", "bot:iggi"), seed="")
    play_by_clicks(page)
    turn, hands = turn_of(page), page.inner_text(".board")
    page.reload()
    page.wait_for_selector(".controls")
    assert (turn, hands) == (turn_of(page), page.inner_text(".board"))
    play_by_clicks(page)
    page.goto(served.address)  # and from the lobby
    page.reload()
    id = next(iter(json.loads(page.evaluate("localStorage.getItem('offbelief.keys')"))))
    page.click(f"[data-key=open-{id}]")
    page.wait_for_selector(".controls")
    assert turn_of(page) >= turn + 2


def test_open_page_goes_on_when_the_server_comes_back(browser, tmp_path):
    context = browser.new_context()
    context.set_default_timeout(60_000)
    context.add_init_script(QUICK)
    page = context.new_page()
    with serving(tmp_path) as first:
        page.goto(first.address)
        page.wait_for_selector("[data-key=quick]")
        set_up(page, variant="full-2p", seats=("human", "bot:iggi"), seed="")
        play_by_clicks(page)
        turn = turn_of(page)
    page.wait_for_function("() => document.querySelector('#link').innerText.includes('down')")
    with serving(tmp_path, port=first.port):
        page.wait_for_function("() => document.querySelector('#link').innerText === ''")
        play_by_clicks(page)
        assert turn + 2 == turn_of(page)
        context.close()


def test_disabled_controls_say_why(open_page):
    page = open_page()
    set_up(page, variant="full-2p", seats=("human", "bot:iggi"))
    page.locator(".own .card").first.click()
    discard = page.locator("[data-key=do-discard]")
    assert ("true", "No discarding while all hint tokens are there.") == (
        discard.get_attribute("aria-disabled"),
        discard.get_attribute("title"),
    )
    discard.click(force=True)
    assert "No discarding" in page.inner_text("#toast")
    page.keyboard.press("Home")
    assert 0 == turn_of(page)


def test_mind_opens_with_its_switch_and_shows_numbers(open_page, keep):
    page = open_page()
    set_up(page, variant="full-2p", seats=("human", "obl-1-a"))
    assert 0 == page.locator("#mind").count()
    page.check("[data-key=open-mind]")
    page.wait_for_selector("#mind .bars li.chosen")
    assert 5 == page.locator("#mind figure").count()
    values = [float(text) for text in page.locator("#mind .bars .value").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    assert page.inner_text("#mind .sentence")
    play_by_clicks(page)
    page.keyboard.press("Home")
    page.wait_for_selector("#mind .judged, #mind .bars li.made")  # what the agent thinks of our own move
    page.click("[data-key=imagine]")
    page.wait_for_selector(".dream")
    assert "Target" in page.inner_text(".dream")
    page.select_option("[data-key=select-Beside]", "bot:piers")
    page.wait_for_selector(".compared h4")
    keep(page, "mind")
    page.check("[data-key=open-hand]")
    page.wait_for_function("() => document.querySelectorAll('.own .card.face').length === 5")


def test_disagreements_are_jumped_to(open_page):
    page = open_page()
    set_up(page, variant="full-2p", seats=("bot:iggi", "bot:iggi"))
    page.wait_for_selector("#ending")
    page.select_option("[data-key=select-Agent]", "obl-1-a")
    page.select_option("[data-key=select-Beside]", "bot:iggi")
    page.wait_for_selector(".compared h4")
    page.click("[data-key=disagree-first]")
    assert "would" in page.inner_text(".compared .sentence")
    first = page.inner_text(".turn-number")
    page.click("[data-key=disagree-next]")
    assert first != page.inner_text(".turn-number")
    assert "would" in page.inner_text(".compared .sentence")


def test_phone_needs_no_sideways_scrolling(open_page, keep):
    page = open_page(width=360, height=740, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    keep(page, "phone-lobby")
    set_up(page, variant="full-5p", seats=("human", *["bot:piers"] * 4), open_mind=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    keep(page, "phone-five")
    page.goto(page.url.split("#")[0])
    page.wait_for_selector("[data-key=quick]")
    set_up(page, variant="full-2p", seats=("human", "bot:iggi"))
    for selector in (".own .card", ".do.give"):  # cards and controls are on the first screen
        box = page.locator(selector).last.bounding_box()
        assert box["y"] + box["height"] <= 740
    play_by_clicks(page)
    keep(page, "phone")


def test_page_works_by_keyboard_alone_from_the_lobby_on(open_page):
    page = open_page()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.key") == "quick":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector(".controls")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('hint') && !document.activeElement.ariaDisabled"):
            break
    page.keyboard.press("Enter")  # choose
    assert page.evaluate("document.activeElement.classList.contains('chosen')")  # focus survives the redraw
    turn = turn_of(page)
    page.keyboard.press("Enter")  # give
    wait_for_turn_after(page, turn)


def test_letters_are_on_by_default_and_can_go(open_page):
    page = open_page()
    set_up(page)
    assert page.locator(".hands .head .letter").first.is_visible()
    page.uncheck("[data-key=letters]")
    assert not page.locator(".hands .head .letter").first.is_visible()


def test_two_people_share_a_table(open_page):
    one = open_page()
    set_up(one, variant="full-2p", seats=("human", "human"), seed="")
    two = open_page()
    two.goto(one.url)
    two.wait_for_selector(".own .card")
    assert 0 == two.locator(".controls").count()
    assert "to move" in two.inner_text("#turn")
    legal_hints(one).first.click()
    one.click("[data-key=do-hint]")
    two.wait_for_selector(".controls")
    assert two.locator(".own .arrow").count() > 0
    stranger = open_page()
    stranger.goto(one.url)
    stranger.wait_for_selector("#toast:not([hidden])")
    assert "only its players" in stranger.inner_text("#toast")


def test_recorded_game_is_pasted_and_exported(open_page, served):
    page = open_page()
    set_up(page, variant="full-2p", seats=("bot:iggi", "bot:iggi"))
    page.wait_for_selector("#ending")
    last = turn_of(page)
    with page.expect_download() as download:
        page.click("text=hanab.live JSON")
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert 50 == len(json.loads(text)["deck"])
    page.goto(served.address)
    page.wait_for_selector("[data-key=import-text]")
    page.fill("[data-key=import-text]", text)
    page.click("[data-key=import]")
    page.wait_for_selector(".history")
    assert f"0 / {last}" == page.inner_text(".turn-number")
    page.fill("input[type=range]", str(last))
    assert "Over" in page.inner_text("#turn") or "record ends" in page.inner_text("#turn")


def test_what_somebody_types_in_the_lobby_outlives_a_new_drawing(open_page):
    page = open_page()
    page.fill("[data-key=import-text]", "half a game")
    page.select_option("[data-key=variant]", "other")
    page.focus("[data-key=custom]")
    page.keyboard.type("3p-2c-3r-h3-i5-l3")
    page.focus("[data-key=seed]")
    page.keyboard.type("1239")
    page.keyboard.press("ArrowLeft")
    with page.expect_response("**/api/lobby"):
        page.evaluate("location.hash = '#/again'")  # no game: the lobby, loaded and drawn anew
    page.keyboard.type("4")
    assert "half a game" == page.input_value("[data-key=import-text]")
    assert "3p-2c-3r-h3-i5-l3" == page.input_value("[data-key=custom]")
    assert "12349" == page.input_value("[data-key=seed]")
    page.click("[data-key=create]")  # with the caret still in the text: the first click counts
    page.wait_for_selector(".controls")
    assert "3p-2c-3r-h3-i5-l3" == page.inner_text("#where")
