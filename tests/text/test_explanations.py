"""Questions that ask how something is done or works, or why it is so, ask for an explanation; others for a few words."""

from __future__ import annotations

import pytest

from hopweave.text.explanations import asks_to_explain


@pytest.mark.parametrize(
    "text",
    [
        "How do I reconcile an account?",
        "how can we change the filter of the pump",
        "How to reset the router?",
        "In the 2024 version, how do I print two pages on a sheet?",
        "I lost my badge. How do I get a new one?",
        "And how should one store it?",
        "Could you explain the difference between a claim and a citation?",
        "Why are cash accounts not reconciled?",
        "Please describe the inspection.",
        "How does the lock of the door work?",
        "What are the steps to renew a passport?",
        "What do I have to do if the alarm goes off?",
        '"--- (How do I open it?',
        "---------- !!! ---------- How do I open it?",
        "It blinks twice ... ?! ---- how do I stop it?",
        "OK, so and then, please, could you also explain the seal?",
        "How does the lock of the door work ?!!",
        "Wie kann ich das Passwort ändern?",
        "Und wie wechsle ich den Filter?",
        "Warum blinkt die rote Lampe?",
        "Comment changer le filtre de la pompe ?",
        "¿Cómo puedo cambiar la contraseña?",
        "¿Por qué parpadea la luz roja?",
        "Come si cambia il filtro della pompa?",
        "Perché la spia è rossa?",
        "Como posso trocar o filtro da bomba?",
        "Hoe kan ik het filter vervangen?",
        "Varför blinkar den röda lampan?",
        "Hvordan skifter jeg filteret i pumpen?",
        "Jak mogę zmienić hasło do poczty?",
        "Proč bliká červená kontrolka?",
        "Как мне поменять фильтр насоса?",
        "なぜ赤いランプが点滅しますか。",
        "如何更换水泵的过滤器？",
        "어떻게 필터를 교체하나요?",
    ],
)
def test_it_asks_to_explain(text):
    assert asks_to_explain(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Who wrote the song Why?",
        "How many pages does it print on a sheet?",
        "How long do I have to cancel?",
        "How much can I carry on board?",
        "How often should one change the filter?",
        "How did the director of Jaws die?",
        "How do you spell the name of the mayor?",
        "How are the people called who work at night?",
        "In which city was the author born?",
        "What do the letters on the tyre mean?",
        "Why not?",
        "Which film explains how to build a raft?",
        "Who said: - - - - - - - - - - never mind how to do it?",
        "Wie heißt die Bürgermeisterin?",
        "Wie viele Seiten druckt er?",
        "Wie lange habe ich Zeit?",
        "Comment s'appelle le maire ?",
        "¿Cómo se llama la alcaldesa?",
        "Come si chiama il sindaco?",
        "Hoe oud was hij?",
        "Как зовут мэра города?",
    ],
)
def test_it_asks_for_a_few_words(text):
    assert not asks_to_explain(text)
