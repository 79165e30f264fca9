#!/usr/bin/env python3
"""Makes the tables of this example in data/ beside this file, the same ones each time.

houses: price (in 100,000), then area (square metres), rooms, age (years), distance (km), garden (0 or 1).
machines: two targets, life left (in 1000 hours) and power (in 10 kW); two labels, bearing and cooling faults;
then load (0 to 1), speed (rpm), temperature (degrees Celsius), vibration (mm/s), age (1000 hours).
"""
import math
import pathlib
import random

TRAIN, TEST = 8000, 2000  # lines


def house(draw):
    area, rooms = draw.uniform(30, 200), draw.randint(1, 7)
    age, distance, garden = draw.uniform(0, 100), draw.expovariate(1 / 8), draw.randint(0, 1)
    place = math.exp(-distance / 10)
    price = area * (0.01 + 0.03 * place) + 0.1 * rooms - 0.8 * math.sin(math.pi * age / 100)
    price += garden * (0.2 + place) + draw.gauss(0, 0.2)
    return [f"{price:.3f}", f"{area:.1f}", rooms, f"{age:.0f}", f"{distance:.2f}", garden]


def machine(draw):
    load, speed, age = draw.random(), draw.uniform(500, 3000), draw.uniform(0, 40)
    bearing = draw.random() < 1 / (1 + math.exp(4 - age / 10 - speed / 1500))
    cooling = draw.random() < 0.1
    temperature = 30 + 40 * load + speed / 150 + 12 * cooling + draw.gauss(0, 6)
    vibration = 0.5 + speed / 1000 + 1.2 * bearing + draw.gauss(0, 0.4)
    life = max(0, 50 - age - 15 * bearing - 10 * cooling) / 10 * (1.2 - 0.4 * load)
    power = load * speed / 600 + draw.gauss(0, 0.05)
    return [f"{life:.3f}", f"{power:.3f}", int(bearing), int(cooling), f"{load:.3f}", f"{speed:.0f}",
            f"{temperature:.1f}", f"{vibration:.2f}", f"{age:.1f}"]


def main():
    folder = pathlib.Path(__file__).parent / "data"
    folder.mkdir(exist_ok=True)
    for name, line in (("houses", house), ("machines", machine)):
        draw = random.Random(name)
        for part, count in (("train", TRAIN), ("test", TEST)):
            rows = (",".join(str(number) for number in line(draw)) for _ in range(count))
            (folder / f"{name}_{part}.csv").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
