"""Write the tables of README.md and docs from committed results, so that no figure is typed.

Speed comes from benchmarks/results: run `obl bench engine --out benchmarks/results/engine.json`, likewise `belief`,
`exact`, `rollout`, `learner` and `play`. Scores come from the cards of the zoo (`experiments/add_to_zoo.py`),
what levels came to mean from `experiments/ladder_account.py`. Tables of one subject stand in a file of their own.
"""

from pathlib import Path

from agent_tables import LEVEL_1, forms_hour_table, zoo_table
from committed import ROOT
from ladder_tables import LADDER, level2_limits_table, level2_memory_table, mini_ladders_table
from method_tables import (
    FORMS,
    exact_ladder_table,
    learner_settings_table,
    level_drift_table,
    mini_crossplay_table,
    small_hanabi_table,
)
from speed_tables import play_table, speed_table

BEGIN, END = "<!-- {}: written by benchmarks/tables.py -->", "<!-- end of {} -->"

TABLES = {
    "speed": speed_table,
    "play": play_table,
    "zoo": zoo_table,
    **LEVEL_1,
    **LADDER,
    **FORMS,
    "forms-hour": forms_hour_table,
    "small-hanabi": small_hanabi_table,
    "exact-ladder": exact_ladder_table,
    "learner-settings": learner_settings_table,
    "level-drift": level_drift_table,
    "mini-crossplay": mini_crossplay_table,
    "mini-ladders": mini_ladders_table,
    "level2-memory": level2_memory_table,
    "level2-limits": level2_limits_table,
}
PAGES = {
    ROOT / "README.md": ("speed", "ladder-paper"),
    ROOT / "docs" / "results" / "speed.md": ("speed",),
    ROOT / "docs" / "results" / "zoo.md": ("zoo",),
    ROOT / "docs" / "results" / "level-1.md": tuple(LEVEL_1),
    ROOT / "docs" / "play.md": ("play",),
    ROOT / "docs" / "results" / "ladder.md": (*LADDER, "level2-limits", "mini-ladders"),
    ROOT / "docs" / "methods" / "ladder.md": ("level2-memory",),
    ROOT / "docs" / "methods" / "deep-obl.md": ("learner-settings",),
    ROOT / "docs" / "results" / "forms.md": (*FORMS, "forms-hour"),
    ROOT / "docs" / "games" / "hanabi.md": ("small-hanabi", "exact-ladder", "level-drift"),
    ROOT / "docs" / "methods" / "self-play.md": ("mini-crossplay",),
}


def with_tables(path: Path) -> str:
    """A page with its tables renewed."""
    text = path.read_text(encoding="utf-8")
    for name in PAGES[path]:
        before, _, rest = text.partition(BEGIN.format(name))
        _, _, after = rest.partition(END.format(name))
        text = f"{before}{BEGIN.format(name)}\n{TABLES[name]()}\n{END.format(name)}{after}"
    return text


def main() -> None:
    """Renew the pages."""
    for path in PAGES:
        path.write_text(with_tables(path), encoding="utf-8")


if __name__ == "__main__":
    main()
