"""Krita plug-in: removes noise from the current layer with the program blorc-denoise."""

from krita import Krita

from .blorc_denoise import BlorcDenoise

Krita.instance().addExtension(BlorcDenoise(Krita.instance()))
