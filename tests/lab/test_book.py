"""Tests of what makes the book: that it cuts what it should, and that its checks can fail."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import book_check  # noqa: E402
import book_code  # noqa: E402
import book_pages  # noqa: E402
import book_record  # noqa: E402
import book_reference  # noqa: E402
import book_source  # noqa: E402
import docs  # noqa: E402
from console import LabError  # noqa: E402

SERVER = "stages/01-blocking/server.cpp"


def text_of(piece: book_source.Piece) -> list[str]:
    return list(book_source.lines_of(piece.path)[piece.first - 1 : piece.last])


class Cutting(unittest.TestCase):
    def test_a_function_comes_with_its_comment_and_its_last_brace(self) -> None:
        lines = text_of(book_source.cut(SERVER, "Server::serve_batch"))
        self.assertTrue(lines[0].startswith("/// Answers what a client has sent."))
        self.assertEqual(lines[-1], "}")
        self.assertEqual(sum(line.startswith("bool Server::") for line in lines), 1)

    def test_a_type_a_member_and_a_constant(self) -> None:
        session = "common/http/session.h"
        self.assertEqual(text_of(book_source.cut(session, "Step"))[-1], "};")
        self.assertEqual(text_of(book_source.cut(session, "Session::next"))[-1],
                         "  Step next() noexcept;")
        self.assertIn("last_moment", text_of(book_source.cut(SERVER, "last_moment"))[-1])

    def test_an_unknown_name_is_a_fault(self) -> None:
        for name in ("Server::no_such_function", "receive_nothing"):
            with self.assertRaises(LabError):
                book_source.cut(SERVER, name)
        with self.assertRaises(LabError):
            book_source.cut_between(SERVER, "no such words", "}")

    def test_a_file_grows_out_of_the_stage_before_or_the_latest_that_has_it(self) -> None:
        self.assertEqual(book_source.file_before("stages/04-poll-loop/server.cpp"), SERVER)
        self.assertEqual(book_source.file_before("stages/06-epoll-workers/thread_pool.h"),
                         "stages/03-thread-pool/thread_pool.h")
        self.assertIsNone(book_source.file_before(SERVER))


class Counting(unittest.TestCase):
    """Every line is counted, from the pages."""

    @staticmethod
    def shown(html: str) -> book_check.Lines:
        page = book_check._Page()
        page.feed(html)
        return page.shown

    def test_a_whole_file_and_a_difference_cover_two_stages(self) -> None:
        old, new = SERVER, "stages/02-thread-per-connection/server.cpp"
        whole = book_source.Piece(old, 1, len(book_source.lines_of(old)))
        lines = self.shown(book_code.snippet(whole) + book_code.diff(old, new))
        total, missing = book_check.missing_lines(lines, [old, new])
        self.assertEqual(missing, [])
        self.assertEqual(total, sum(len(book_source.lines_of(path)) for path in (old, new)))

    def test_a_line_that_is_not_shown_or_is_shown_otherwise_is_missing(self) -> None:
        most = book_source.Piece(SERVER, 2, len(book_source.lines_of(SERVER)))
        html = book_code.snippet(most).replace("owed_a_look", "owed_a_glance")
        _, missing = book_check.missing_lines(self.shown(html), [SERVER])
        places = {int(line.split(":")[1]) for line in missing}
        wanted = {1} | {number for number, line in enumerate(book_source.lines_of(SERVER), 1)
                        if "owed_a_look" in line}
        self.assertEqual(places, wanted)

    def test_what_a_change_shows_does_not_count(self) -> None:
        rows = book_code.snippet(book_source.Piece(SERVER, 1, 5))
        html = rows.replace('class="code snippet"', 'class="code diff change"')
        self.assertEqual(self.shown(html), {})

    def test_a_link_that_leads_nowhere_is_found(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "index.html")
            page.write_text('<a id="here" href="#here"></a><a href="gone.html"></a>'
                            '<a href="#nowhere"></a>', encoding="utf-8")
            broken = book_check.broken_links(Path(folder), {page.resolve(): book_check._read(page)})
        self.assertEqual(len(broken), 2)


class Directives(unittest.TestCase):
    def convert(self, text: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            chapter = book_pages.Chapter("test", "A test", "Part")
            return book_pages.Page(chapter, Path(folder)).convert(text)

    def test_what_is_not_known_is_a_fault_that_names_its_line(self) -> None:
        for text in ("{{nothing}}", f"{{{{snippet {SERVER} Server::nothing}}}}", "{{end}}",
                     "{{drawing nothing}}", "{{change nothing}}", "{{diff 01-blocking server.cpp}}",
                     "{{run never-recorded}}\ntrue\n{{end}}"):
            with self.assertRaisesRegex(LabError, r"^docs/book/test\.md:2: "):
                self.convert(f"words\n{text}")

    def test_a_frame_has_to_end(self) -> None:
        with self.assertRaises(LabError):
            self.convert("{{predict What?}}\nThat.")

    def test_code_between_fences_is_left_alone(self) -> None:
        self.assertIn("{{nothing}}", self.convert("```\n{{nothing}}\n```"))


class Recordings(unittest.TestCase):
    def test_times_dates_and_ports_may_differ_and_words_may_not(self) -> None:
        same = book_record.comparable
        self.assertEqual(same("1.013 s\nDate: now"), same("0.97 s\nDate: then"))
        self.assertNotEqual(same("HTTP/1.1 200 OK"), same("HTTP/1.1 503 OK"))

    def test_a_command_may_have_several_lines(self) -> None:
        run = book_record.parse_run("name | 01 --port 0 | with less", ["for i in 1; do", "  true",
                                                                      "  done", "true"])
        self.assertEqual(run.commands, ("for i in 1; do\n  true\n  done", "true"))
        self.assertEqual((run.server, run.change), (("01", "--port", "0"), "less"))

    def test_every_recording_is_of_what_its_chapter_says(self) -> None:
        for run in docs.all_runs():
            book_record.stored(run)

    def test_every_recording_is_shown(self) -> None:
        names = {run.name for run in docs.all_runs()}
        self.assertEqual({path.stem for path in book_record.RECORDED.glob("*.txt")}, names)

    @unittest.skipIf(shutil.which("patch") is None, "needs patch")
    def test_every_change_fits_the_sources(self) -> None:
        for path in book_record.CHANGES.glob("*.patch"):
            book_record.patch(ROOT, path.stem, "--dry-run")


class Reference(unittest.TestCase):
    WARNING = ("a.h:1: warning: Member port() const (function) of class stagecraft::A is not"
               " documented.\n")

    def test_a_name_that_nobody_explained_is_a_fault(self) -> None:
        self.assertIn("a.h A::port", book_reference.undocumented(self.WARNING))
        wrong = book_reference.complaints(self.WARNING)
        self.assertIn("a.h A::port: nobody has explained this name", wrong)

    def test_other_warnings_are_faults(self) -> None:
        wrong = book_reference.complaints("a.md:1: warning: unable to resolve reference to 'x'\n")
        self.assertTrue(wrong[0].startswith("a.md:1"))


@unittest.skipIf(shutil.which("doxygen") is None, "needs Doxygen")
class TheBook(unittest.TestCase):
    def test_it_is_made_without_a_fault(self) -> None:
        made = subprocess.run([sys.executable, "-B", str(ROOT / "common" / "lab"), "docs"],
                              capture_output=True, text=True, timeout=180, check=False)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)


if __name__ == "__main__":
    unittest.main()
