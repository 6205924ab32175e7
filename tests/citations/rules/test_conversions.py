"""Conversions and the way that they go."""

import pytest

from hopweave.citations.rules.conversions import is_converted_back


@pytest.mark.parametrize(
    ("asking", "sentence", "is_back"),
    [
        (
            "Which command converts a colormap image to grayscale?",
            "gray2ind converts a grayscale image to an indexed one.",
            True,
        ),
        ("Which command converts a colormap image to grayscale?", "ind2gray converts an indexed image to grayscale.", False),
        ("What turns a string into a number?", "num2str turns numbers into strings.", True),
        (
            "What turns a string into a number?",
            "num2str turns numbers into strings, str2num turns strings into numbers.",
            False,
        ),
        ("What is the command for conversion of wav to ogg?", "oggdec: conversion from Ogg to WAV.", True),
        ("What converts wav to ogg?", "oggenc converts WAV and FLAC to Ogg.", False),
        ("What converts wav to ogg?", "oggenc converts WAV to MP3.", False),
        ("What reads wav?", "oggdec converts Ogg to WAV.", False),
        ("What converts wav to ogg?", "oggdec plays Ogg.", False),
    ],
)
def test_what_converts_the_other_way_is_told(asking, sentence, is_back):
    assert is_converted_back(asking, sentence) is is_back
