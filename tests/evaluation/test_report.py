from offbelief.evaluation.report import command, page, paragraph, picture, table


def test_text_is_escaped_everywhere(tmp_path):
    path = tmp_path / "dot.png"
    path.write_bytes(b"png")
    evil = '<b>"x"</b>'
    made = page(evil, [paragraph(evil), command(evil), table([evil], [[evil]]), picture(path, evil)])
    assert "<b>" not in made


def test_table_has_a_row_per_row():
    made = table(["a", "b"], [["1", "2"], ["3", "4"]])
    assert 3 == made.count("<tr>")
    assert 4 == made.count("<td>")
