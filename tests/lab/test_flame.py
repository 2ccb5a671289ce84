"""Tests of what `./lab flame` makes of the output of perf and of callgrind, kept in traces/."""

from __future__ import annotations

import re
import sys
import unittest
import xml.etree.ElementTree
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import flame  # noqa: E402
import flame_draw  # noqa: E402
import flame_fold  # noqa: E402
import flame_text  # noqa: E402
from console import UsageError  # noqa: E402
from flame_fold import Frame, Node  # noqa: E402

TRACES = Path(__file__).parent / "traces"
SVG = "{http://www.w3.org/2000/svg}"


def lines_of(ending: str) -> list[str]:
    return (TRACES / f"07-epoll-multi-loop.{ending}").read_text().splitlines()


def by_perf() -> Node:
    return flame_fold.tree(flame_fold.of_perf(lines_of("perf")), "07")


def by_callgrind() -> Node:
    return flame_fold.tree(flame_fold.of_callgrind(lines_of("callgrind")), "07")


def at(node: Node, *names: str) -> Node:
    """The node under these, from the top on."""
    for name in names:
        node = next(child for child in node.children.values() if child.frame.name == name)
    return node


TO_RUN = ("run_body", "Server::run_loop", "EventLoop::run")


class Perf(unittest.TestCase):
    def test_each_sample_counts_once(self) -> None:
        self.assertEqual(by_perf().weight, 6)
        self.assertEqual(at(by_perf(), *TO_RUN).weight, 6)

    def test_the_outermost_function_is_the_first(self) -> None:
        (frames, weight), *_ = flame_fold.of_perf(lines_of("perf"))
        self.assertEqual(weight, 1)
        self.assertEqual([frame.name for frame in frames][:4] + [frames[-1].name],
                         [*TO_RUN, "Connection::advance", "__tcp_transmit_skb"])

    def test_functions_of_the_system_are_known_and_the_call_has_its_name(self) -> None:
        sends = at(by_perf(), *TO_RUN, "Connection::advance", "Connection::send", "Socket::send",
                   "send", "system call sendto")
        self.assertEqual({node.frame.kind for node in sends.children.values()} | {sends.frame.kind},
                         {"system"})

    def test_a_last_block_without_an_empty_line_counts(self) -> None:
        block = ["x 1 ", "\t 1 stagecraft::a (/x)", "\t 2 stagecraft::b (/x)"]
        ((frames, _),) = flame_fold.of_perf(block)
        self.assertEqual([frame.name for frame in frames], ["b", "a"])


class Callgrind(unittest.TestCase):
    def test_a_function_has_its_own_cost_and_not_what_it_calls(self) -> None:
        parse = at(by_callgrind(), "run_body", "std::function", "Server::run_loop",
                   "EventLoop::run", "Connection::ready", "Connection::advance", "Session::next",
                   "Session::advance", "Session::read_head", "RequestParser::parse")
        self.assertEqual(parse.own_weight, 724_039 + 120_002)
        self.assertEqual(parse.frame.kind, "own")

    def test_nothing_is_lost_and_nothing_counted_twice(self) -> None:
        own = sum(weight for _, weight in flame_fold.of_callgrind(lines_of("callgrind")))
        self.assertEqual(by_callgrind().weight, own)

        def sum_of(node: Node) -> int:
            return node.own_weight + sum(map(sum_of, node.children.values()))
        self.assertEqual(sum_of(by_callgrind()), own)

    def test_a_function_that_calls_itself_has_a_number_that_is_no_caller(self) -> None:
        ((frames, _),) = flame_fold.of_callgrind(["fn=stagecraft::a()'2'stagecraft::b()", "0 7"])
        self.assertEqual([frame.name for frame in frames], ["b", "a"])


class Names(unittest.TestCase):
    def test_they_are_short(self) -> None:
        for symbol, name in (
                ("stagecraft::EventLoop::run()", "EventLoop::run"),
                ("stagecraft::(anonymous namespace)::run_body(void*)", "run_body"),
                ("long stagecraft::(anonymous namespace)::retried<std::span<char> >(int)",
                 "retried"),
                ("stagecraft::Session::output_pending() const", "Session::output_pending"),
                ("std::_Function_handler<void (), stagecraft::A::b()::{lambda()#1}>::_M_invoke()",
                 "std::function"),
                ("operator delete(void*, unsigned long)", "operator delete"),
                ("__libc_recv", "recv"), ("__send", "send"), ("memcpy", "memcpy")):
            self.assertEqual(flame_fold.short_name(symbol), name)

    def test_whose_they_are(self) -> None:
        symbols = ["fn=long stagecraft::f<int>(int)", "0 1", "fn=std::vector<stagecraft::A>::at()",
                   "0 1", "fn=main", "0 1"]
        kinds = [frames[0].kind for frames, _ in flame_fold.of_callgrind(symbols)]
        self.assertEqual(kinds, ["own", "other", "own"])


class Shown(unittest.TestCase):
    def test_words_tell_shares_and_stop_where_the_system_begins(self) -> None:
        text = flame_text.picture(by_perf(), 80)
        self.assertRegex(text, r"100\.0 %      EventLoop::run\n")
        self.assertIn("system call sendto", text)
        self.assertNotIn("tcp_", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_a_system_call_counts_by_itself_with_all_that_it_does(self) -> None:
        by_itself = flame_text.picture(by_perf(), 80).partition("by itself\n")[2]
        self.assertTrue(by_itself.splitlines()[0].endswith("system call sendto"))

    def test_what_costs_almost_nothing_is_not_told(self) -> None:
        big, small = Frame("big", "own"), Frame("small", "own")
        top = flame_fold.tree([([big], 999), ([small], 1)], "x")
        self.assertNotIn("small", flame_text.picture(top, 80))

    def test_folded_stacks_are_what_other_tools_read(self) -> None:
        a, b = Frame("a", "own"), Frame("b", "other")
        top = flame_fold.tree([([a, b], 3), ([a], 1)], "x")
        self.assertEqual(list(flame_fold.folded(top)), ["x;a 1", "x;a;b 3"])

    def test_a_bar_stands_on_its_caller_and_within_its_width(self) -> None:
        a, b, c = Frame("a", "own"), Frame("b", "own"), Frame("c", "other")
        top = flame_fold.tree([([a, b], 60), ([a, c], 30), ([c], 10)], "x")
        picture = flame_draw.picture(top, "t", "<about>", flame_draw.WIDE, alone=True)
        bars = {}
        for bar in xml.etree.ElementTree.fromstring(picture).iter(SVG + "rect"):
            name = (bar.findtext(SVG + "title") or "").split(":")[0]
            x, width = float(bar.get("x", "")), float(bar.get("width", ""))
            bars.setdefault(name, (x, x + width, float(bar.get("y", ""))))
        self.assertEqual(bars["a"][2], bars["x"][2] - flame_draw.ROW)
        self.assertEqual(bars["b"][2], bars["a"][2] - flame_draw.ROW)
        self.assertTrue(bars["a"][0] <= bars["b"][0] < bars["b"][1] <= bars["a"][1] + 0.1)

    def test_a_page_needs_nothing_else_and_has_no_id_twice(self) -> None:
        page = flame_draw.page(by_perf(), "<b>", "about", "words")
        self.assertEqual(re.findall(r"(?:src|href)=|@import|url\(|<script", page), [])
        ids = re.findall(r'\bid="([^"]+)"', page)
        self.assertEqual(len(ids), len(set(ids)))
        self.assertNotIn("<b>", page)


class Tools(unittest.TestCase):
    def test_without_perf_instructions_are_counted(self) -> None:
        with patch("flame.shutil.which", return_value=None), patch("flame.say") as said:
            self.assertEqual(flame._tool_of_this_machine(), "callgrind")
        self.assertIn("perf is not installed", said.call_args.args[0])

    def test_a_path_begins_with_a_slash(self) -> None:
        with self.assertRaises(UsageError):
            flame.main(["01", "--path", "plaintext"])


if __name__ == "__main__":
    unittest.main()
