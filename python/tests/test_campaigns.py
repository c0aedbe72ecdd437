"""A campaign in a folder and in a store, with the collector between device and server."""
import csv
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import ppgnn
from support import command, needs


@needs("scipy", "pandas", "sklearn")
class Folder(unittest.TestCase):
    def test_teach_ask_and_conclude(self):
        data = "synthetic:social,nodes=300,seed=9"
        graph = ppgnn.Graph.read(data)
        with tempfile.TemporaryDirectory() as place:
            folder = os.path.join(place, "spring")
            ppgnn.Campaign.in_folder(folder).start(graph, "example.org-spring", [8, 16], levels="public")
            campaign = ppgnn.Campaign.in_folder(folder)
            self.assertEqual(campaign.rounds().role.tolist(), ["teach"])
            with self.assertRaises(ppgnn.Error):
                campaign.ask(graph)  # nobody reported
            lessons, answers = os.path.join(place, "lessons.csv"), os.path.join(place, "answers.csv")
            command("perturb", "--data", data, "--plan", folder + "/teach.plan", "--people", folder + "/teach.people", "--out", lessons)
            asked = ppgnn.Campaign.in_folder(folder, [lessons]).ask(graph)
            self.assertGreater(asked["asked"], 0)
            command("perturb", "--data", data, "--plan", folder + "/answer.plan", "--people", folder + "/answer.people", "--questions",
                    folder + "/questions.csv", "--earlier", lessons, "--out", answers)
            campaign = ppgnn.Campaign.in_folder(folder, [answers])
            concluded = campaign.conclude(graph)
            self.assertGreater(concluded["answers"], 0)
            self.assertEqual(len(campaign.predictions()), 300)


@needs("scipy", "pandas", "sklearn")
class Store(unittest.TestCase):
    """A real collector takes reports of real devices; training reads its store."""

    data = "synthetic:social,nodes=60,seed=9"

    def test_from_device_to_model(self):
        graph = ppgnn.Graph.read(self.data)
        plan = ppgnn.Plan.make(graph, [2, 3])
        with tempfile.TemporaryDirectory() as place:
            here = pathlib.Path(place)
            plan.write(here / "plan.txt")
            store = f"sqlite:{here / 'campaign.db'}"
            tokens = self.enrol(here, store)
            with self.serving(here, store) as url:
                for person, token in list(tokens.items())[:40]:
                    collector = ppgnn.Collector(url, token)
                    self.assertEqual(collector.standing().person, person)
                    device = ppgnn.Client(collector.plan(), person=person, recipient=url)
                    report = device.report(graph.X[int(person)], level=1, ledger=here / f"ledger-{person}")
                    self.assertTrue(collector.submit(report))
                    self.assertFalse(collector.submit(report))
                with self.assertRaises(ppgnn.Error):
                    ppgnn.Collector(url, "nobody's").standing()
            command("campaign", "close", "--store", store, "--round", 0)
            found, reports = ppgnn.Campaign.in_store(store).collected(graph)
            self.assertEqual((found, len(reports)), (plan, 40))
            model = ppgnn.CampaignClassifier(epochs=5, random_state=0).fit_reports(found, reports, graph.y, graph=graph)
            self.assertEqual((model.spent_ > 0).sum(), 40)

    def enrol(self, here, store):
        command("campaign", "start", "--store", store, "--campaign", "example.org-spring", "--plan", here / "plan.txt")
        command("enrol", "--store", store, "--keys", here / "keys", "--data", self.data, "--out", here / "tokens.csv")
        with open(here / "tokens.csv") as file:
            rows = list(csv.reader(file))[1:]
        return {row[0]: row[1] for row in rows}

    def serving(self, here, store):
        return Serving([os.environ["PPGNN_BINARY"], "serve", "--store", store, "--keys", str(here / "keys"), "--listen", "127.0.0.1:0"])


class Serving:
    def __init__(self, arguments):
        self.arguments = arguments

    def __enter__(self):
        self.process = subprocess.Popen(self.arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            found = re.search(r"http://[0-9.:]+", line)
            if found:
                return found.group(0)
        raise AssertionError("the collector did not start")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.stdout.close()
        self.process.wait(30)


if __name__ == "__main__":
    unittest.main()
