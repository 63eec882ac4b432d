"""Tests of parsing the preprocessor's output."""

import pytest

from tfcarve.registry.records import (
    ParseError,
    RawConstraint,
    RawGradient,
    RawKernel,
    RawOp,
    kernel,
    parse,
)


def _output(*records: str) -> str:
    return "\n".join(['TFCARVE_SOURCE "a.cc"', *records])


def test_kernel() -> None:
    text = (
        'TFCARVE_KERNEL 1 7 "b.h" "Op<\\"x\\", float>" Name("A").Device(DEVICE_CPU)'
        '.TypeConstraint<float>("T").TypeConstraint("U", {DT_INT32, DT_BOOL})'
        '.AttrConstraint("f", "NHWC").AttrConstraint<bool>("b", true).HostMemory("x")'
        '.Label("l").Priority(2) TFCARVE_END;'
    )
    assert parse(_output(text))["a.cc"].kernels == (
        RawKernel(
            file="b.h",
            line=7,
            system=True,
            clazz='Op<"x", float>',
            op='"A"',
            device="DEVICE_CPU",
            constraints=(
                RawConstraint('"T"', cpp_types=("float",)),
                RawConstraint('"U"', types=("DT_INT32", "DT_BOOL")),
                RawConstraint('"f"', values=('"NHWC"',)),
                RawConstraint('"b"', values=("true",)),
            ),
            host_memory=('"x"',),
            label='"l"',
            priority="2",
        ),
    )


def test_op() -> None:
    text = (
        'TFCARVE_OP 0 3 "a.cc" "A" TFCARVE_END .Input("x: T").Output("y: T")\n.Attr("T: type")'
        '.Deprecated(9, "Use B").SetIsStateful().SetShapeFn([](C* c) { return f("; )"); }).Doc(R"doc(it; )doc");\n.Attr("no")'
    )
    assert parse(_output(text))["a.cc"].ops == (
        RawOp(
            file="a.cc",
            line=3,
            name='"A"',
            attrs=('"T: type"',),
            inputs=('"x: T"',),
            outputs=('"y: T"',),
            stateful=True,
            deprecated=("9", '"Use B"'),
        ),
    )


def test_op_without_a_chain() -> None:
    assert parse(_output('TFCARVE_OP 1 3 "a.cc" "A" TFCARVE_END;'))["a.cc"].ops[0].name == '"A"'


def test_gradient() -> None:
    text = 'TFCARVE_GRADIENT 5 "a.cc" "A" , AGrad TFCARVE_END'
    assert parse(_output(text))["a.cc"].gradients == (RawGradient("a.cc", 5, '"A"', "AGrad"),)


def test_several_sources() -> None:
    op = 'TFCARVE_OP 0 1 "{}" "{}" TFCARVE_END ;'
    output = _output(op.format("a.cc", "A"), 'TFCARVE_SOURCE "b.cc"', op.format("b.cc", "B"))
    found = parse(output)
    assert [found[name].ops[0].name for name in ("a.cc", "b.cc")] == ['"A"', '"B"']


@pytest.mark.parametrize(
    ("builder", "message"),
    [
        ("", "expected a call"),
        ('Name("A").Device()', "tuple index"),
        ('Name("A").Wrong(1)', r"unknown method \.Wrong\(\)"),
        ('Name("A") + 1', "unexpected text after the builder"),
    ],
)
def test_malformed_kernel(builder: str, message: str) -> None:
    with pytest.raises(
        ParseError, match=f"a.cc:4: kernel registration cannot be parsed: .*{message}"
    ):
        kernel(builder, "Op", "a.cc", 4, False)


@pytest.mark.parametrize("chain", ['.Input("x', ".Deprecated(9)"])
def test_malformed_op(chain: str) -> None:
    with pytest.raises(ParseError, match="a.cc:3: op definition cannot be parsed"):
        parse(_output(f'TFCARVE_OP 0 3 "a.cc" "A" TFCARVE_END {chain}'))


def test_unterminated_registration() -> None:
    with pytest.raises(ParseError, match='unterminated registration: TFCARVE_OP 0 3 "a.cc" '):
        parse(_output('TFCARVE_OP 0 3 "a.cc" "A"'))


def test_no_registration() -> None:
    assert parse(_output(f'TFCARVE_OP 0 {"1" * 5_000} "a.cc" "A" TFCARVE_END'))["a.cc"].ops == ()
