import os
import threading

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


def test_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text_atomically(pipe, "through")
    reader.join(timeout=10)
    assert ["through"] == read
    assert pipe.is_fifo()


def test_link_is_followed(tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    write_text_atomically(link, "new")
    assert link.is_symlink()
    assert "new" == target.read_text()
