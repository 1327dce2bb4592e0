import base64
import re

from offbelief.evaluation.plots import new_figure
from offbelief.evaluation.report import cards, command, drawing, folded, heading, page, paragraph, picture, table


def test_text_is_escaped_everywhere(tmp_path):
    path = tmp_path / "dot.png"
    path.write_bytes(b"png")
    evil = '<b>"x"</b>'
    pieces = [heading(evil), paragraph(evil), paragraph(evil, "lead"), command(evil), folded(evil, evil)]
    pieces += [table([evil], [[evil]]), picture(path, evil), drawing(new_figure(1, 1), evil), cards([(evil, 1)])]
    made = page(evil, pieces)
    assert "<b>" not in made
    assert 'alt="&lt;b&gt;&quot;x&quot;' in made


def test_table_has_a_row_per_row():
    made = table(["a", "b"], [["1", "2"], ["3", "4"]])
    assert 3 == made.count("<tr>")
    assert 4 == made.count("<td>")


def test_cards_in_a_table_stay_cards():
    made = table([""], [[cards([("R", 2), ("Y", 0)])]])
    assert '<span class="card R">2</span><span class="card Y none">0</span>' in made


def test_drawing_is_the_figure_itself_and_always_the_same():
    first, second = (drawing(new_figure(1, 1), "caption") for _ in range(2))
    assert first == second
    (data,) = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", first)
    assert b"<svg" in base64.b64decode(data)
