import pytest

from offbelief.interfaces.files import write_text_atomically


def test_file_is_replaced_whole(tmp_path):
    path = tmp_path / "note.txt"
    write_text_atomically(path, "old")
    write_text_atomically(path, "new")
    assert "new" == path.read_text()
    assert [path] == list(tmp_path.iterdir())


def test_failed_write_keeps_the_old_file_and_leaves_nothing_behind(tmp_path):
    path = tmp_path / "note.txt"
    write_text_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text_atomically(path, "half \ud800")
    assert "old" == path.read_text()
    assert [path] == list(tmp_path.iterdir())
