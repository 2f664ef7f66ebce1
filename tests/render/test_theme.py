"""Colours can be read: WCAG 2.2 contrast (https://www.w3.org/TR/WCAG22/#contrast-minimum) in both schemes."""

from __future__ import annotations

import pytest

from autograd_cli.render import theme

PALETTES = {"light": theme.LIGHT, "dark": theme.DARK}


def luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_black_on_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("scheme", PALETTES)
def test_every_text_can_be_read(scheme):
    palette = PALETTES[scheme]
    assert contrast(palette.ink, palette.paper) >= 7
    for name, colours in palette.nodes.items():
        assert contrast(colours.ink, colours.fill) >= 4.5, name


@pytest.mark.parametrize("scheme", PALETTES)
def test_pale_is_paler_than_the_rest(scheme):
    palette = PALETTES[scheme]
    pale = palette.nodes[theme.UNREACHED]
    for name in (*theme.KINDS, theme.FAILED):
        colours = palette.nodes[name]
        assert contrast(colours.border, palette.paper) >= 3, name
        assert contrast(colours.border, palette.paper) > contrast(pale.border, palette.paper)
        assert contrast(colours.ink, palette.paper) > contrast(pale.ink, palette.paper)
    assert contrast(palette.edge, palette.paper) > contrast(palette.pale_edge, palette.paper)
