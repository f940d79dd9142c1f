"""German phrases of the sample."""

from __future__ import annotations

from typing import Final

from transforms.sample.language import Language

GERMAN: Final = Language(
    code="de",
    asks={
        "support": (
            "Wo bleibt meine Bestellung {order}? Sie sollte am {date} ankommen.",
            "Beim Artikel {product} aus Bestellung {order} ist das Teil {part} defekt. Was nun?",
            "Bitte liefern Sie an {street}. Telefonisch erreichen Sie mich unter {phone}.",
            "Mir wurden {amount} Euro doppelt abgebucht. Meine Adresse ist {email}.",
            "Ich möchte den Artikel {product} zurückgeben, er ist {flaw}.",
        ),
        "travel": (
            "Suchen Sie mir einen Flug von {home} nach {city} am {date}, zurück nach {n} Tagen.",
            "Gibt es in {city} ein ruhiges Hotel für höchstens {amount} Euro? Vielleicht {hotel}?",
            "In der Buchung {booking} steht der falsche Name, richtig ist {name}.",
            "Was machen wir an einem Regentag in {city}?",
        ),
        "coding": (
            "{function} in {file} bricht seit Commit {commit} mit `{error}` ab. Woran liegt das?",
            "Schreib bitte Tests für {function} in {file}.",
            "Wie ersetze ich {library} durch {library} in {file}?",
            "Der Build auf {branch} dauert {n} Minuten. Warum?",
        ),
    },
    tells={
        "support": (
            "Ihre Bestellung {order} hat das Lager am {date} verlassen und liegt jetzt bei {carrier}.",
            "Für den Artikel {product} gelten {n} Monate Garantie, auch für das Teil {part}.",
            "Die zweite Abbuchung über {amount} Euro war nur eine Reservierung.",
            "Ein Ersatzteil ({part}) ist {n}-mal vorrätig und geht heute an {street}.",
            "Laut Protokoll war der Zusteller um {time} Uhr da, es öffnete aber niemand.",
            "Die Erstattung von {amount} Euro geht auf die Karte, mit der Sie bezahlt haben.",
            "Auf das Konto ist {name} eingetragen, die Rechnung geht an {email}.",
        ),
        "travel": (
            "{airline} fliegt um {time} Uhr nach {city}, für {amount} Euro mit Gepäck bis {n} Kilo.",
            "Das {hotel} in {city} hat ein Zimmer zum Hof für {amount} Euro mit Frühstück.",
            "Die Bahn von {city} nach {city} braucht {n} Stunden und lohnt sich wegen der Küste.",
            "Die Buchung {booking} lässt sich bis {date} für {amount} Euro ändern.",
            "Platz {seat} in {flight} ist noch frei, am Fenster und weit weg von der Küche.",
            "Um den {date} herum ist in {city} ein Fest, dann werden Zimmer knapp.",
            "Sehenswert ist dort {sight}, zu Fuß etwa {n} Minuten entfernt.",
        ),
        "coding": (
            "Die Ursache steht in {file}, Zeile {line}: {function} hält nach der Schleife noch einen Verweis.",
            "`{error}` tritt nur auf, wenn {library} eine leere Seite liefert, also in {percent} % der Fälle.",
            "Commit {commit} hat den Standard von {library} geändert, deshalb sieht {function} naive Zeiten.",
            "Die Tests in {file} laufen wieder; {n} davon hingen von einer zufälligen Reihenfolge ab.",
            "Auf {branch} kostet das Laden von {library} {percent} % der Zeit.",
            "Zwischen {function} und dem Timer in Zeile {line} gibt es ein Wettrennen.",
        ),
    },
    facts=(
        "Übrigens vertrage ich kein {allergy}, bitte merken Sie sich das.",
        "Mein Haustier ({pet}) heißt {pet_name} und reist immer mit.",
        "Ich wohne in {street} und bin freitags zu Hause.",
        "Bitte schreiben Sie nur noch an {email}.",
        "Mir ist {preference} lieber, wenn es die Wahl gibt.",
        "Nach {time} Uhr erreichen Sie mich unter {phone}.",
    ),
    opens=("Gehen wir es der Reihe nach durch.", "Danke, ich habe nachgesehen.",
           "Gerne, {name}.", "Das lässt sich klären."),
    advises=(
        "Falls es bei Ihnen anders aussieht, sehe ich noch einmal nach.",
        "Das kann sich am {date} noch ändern.",
        "Bitte heben Sie die Bestätigung mit der Nummer {order} auf.",
        "Der andere Weg kostet etwa {amount} Euro mehr und spart {n} Minuten.",
        "Da Sie {preference} mögen, passt der erste Vorschlag besser.",
        "Vor {time} Uhr müssen Sie nichts weiter tun.",
    ),
    thinks=("Es geht um {topic}.", "Zuerst {topic} prüfen.", "Es gibt {n} Möglichkeiten, also vergleichen.",
            "Der {date} ist hier wichtig.", "Ein Werkzeug weiß mehr als eine Vermutung."),
    closes=("Soll ich das so machen?", "Kann ich noch etwas tun?", "Passt Ihnen der {date}?", "Ich hoffe, das hilft."),
    retries=("Da ging etwas schief, bitte noch einmal.", "Die Antwort brach ab. Weiter?"),
    names=("Jürgen Weißmann", "Katrin Öhler", "Lukas Brandt", "Sabine Förster", "Emre Yıldız", "Greta Sommer",
           "Heiko Paulsen", "Miriam Vogt"),
    words={
        "product": ("Kopfhörer", "Kaffeemühle", "Schreibtischlampe", "Fahrradpumpe", "Wasserkocher", "Regenjacke"),
        "part": ("Scharnier", "Ladekabel", "Deckel", "Schalter", "Filter", "Reißverschluss"),
        "flaw": ("zerkratzt", "zu laut", "undicht", "in der falschen Farbe", "locker"),
        "allergy": ("Erdnussöl", "Penicillin", "Gluten", "Laktose"),
        "pet": ("Hund", "Katze", "Papagei", "Schildkröte"),
        "pet_name": ("Krümel", "Moritz", "Fips", "Wolke"),
        "preference": ("ein Fensterplatz", "der Nachtzug", "ein kleines Hotel", "vegetarisches Essen"),
        "sight": ("der alte Leuchtturm", "der botanische Garten", "das Hafenmuseum", "die Seilbahn"),
        "topic": ("die Bestellung", "den Reiseplan", "den fehlerhaften Test", "die Erstattung", "die Termine"),
    },
)  # fmt: skip
