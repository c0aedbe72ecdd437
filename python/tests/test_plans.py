"""Plans, certificates, devices and their ledger."""
import math
import os
import pickle
import tempfile
import unittest

import numpy as np
import ppgnn
from support import command, needs

WORDS = [ppgnn.Column("word", count=20)]


class Plans(unittest.TestCase):
    def test_is_the_plan_of_the_command(self):
        plan = ppgnn.Plan.make(WORDS, [1, 2], level_budget=1)
        with tempfile.TemporaryDirectory() as folder:
            schema, out = os.path.join(folder, "schema.csv"), os.path.join(folder, "plan.txt")
            with open(schema, "w") as file:
                file.write("name,count,kind,low,high,absent\nword,20,binary,0,1,0\n")
            command("plan", "--schema", schema, "--budgets", "1,2", "--level-budget", "1", "--out", out)
            self.assertEqual(plan, ppgnn.Plan.read(out))

    def test_text_round_trip(self):
        plan = ppgnn.Plan.make(WORDS, [1, 2])
        self.assertEqual(pickle.loads(pickle.dumps(plan)), plan)
        self.assertEqual((plan.budgets, plan.levels, plan.schema), ([1, 2], "protected", WORDS))
        with self.assertRaises(ppgnn.Malformed):
            ppgnn.Plan.parse(plan.text + " ")

    def test_refusals_name_the_field(self):
        for arguments, field in [({"budgets": [2, 1]}, "budgets"), ({"budgets": [0]}, "budgets"), ({"levels": "secret"}, "levels"),
                                 ({"level_budget": -1}, "level_budget")]:
            with self.assertRaisesRegex(ppgnn.InvalidArgument, "^" + field):
                ppgnn.Plan.make(WORDS, **{"budgets": [1, 2], **arguments})
        with self.assertRaisesRegex(ppgnn.InvalidArgument, "kind"):
            ppgnn.Column("age", kind="real")

    @needs("pandas")
    def test_certificate(self):
        certificate = ppgnn.Plan.make(WORDS, [1, 2]).audit()
        frame = certificate.to_frame()
        self.assertTrue((frame.spent <= frame.budget).all())
        self.assertEqual(frame.index.tolist(), [1, 2])
        self.assertEqual(len(certificate.sentences), 2)
        self.assertIn("<table>", certificate._repr_html_())
        self.assertIn("nats", repr(certificate))
        public = ppgnn.Plan.make(WORDS, [1, 2], levels="public").audit()
        self.assertTrue(math.isinf(public.level_given_features))
        self.assertIn("public", public._repr_html_())

    @needs("pandas")
    def test_falsify_finds_nothing(self):
        checks = ppgnn.Plan.make(WORDS, [1, 2]).audit().falsify(2000)
        self.assertTrue(checks.passed.all())
        self.assertGreater(checks.attrs["reports"], 2000)


class Devices(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.ledger = os.path.join(folder.name, "ledger")
        self.plan = ppgnn.Plan.make(WORDS, [1, 2])

    def test_one_report_however_often(self):
        device = ppgnn.Client(self.plan, agree=2.5)
        x = np.zeros(20, np.float32)
        report = device.report(x, level=1, ledger=self.ledger)
        self.assertEqual(device.report(1 - x, level=2, ledger=self.ledger), report)
        self.assertEqual(device.resend(self.ledger), report)
        self.assertEqual(device.spent(self.ledger)["reports"], 1)

    def test_has_no_seed(self):
        x = np.zeros(20, np.float32)
        reports = {ppgnn.Client(self.plan).report(x, level=1, ledger=self.ledger + str(i)) for i in range(20)}
        self.assertGreater(len(reports), 1)

    @needs("scipy")
    def test_forms_of_features(self):
        from scipy.sparse import csr_matrix
        device = ppgnn.Client(self.plan)
        row = csr_matrix(([1.0, 1.0], ([0, 0], [3, 7])), shape=(1, 20))
        for i, x in enumerate([row, {3: 1, 7: 1}, row.toarray()[0], row.toarray()[0].tolist()]):
            self.assertGreater(len(device.report(x, level=2, ledger=self.ledger + str(i))), 8)

    def test_refusals(self):
        with self.assertRaisesRegex(ppgnn.OverLimit, "2"):
            ppgnn.Client(self.plan, agree=0.5)
        with self.assertRaisesRegex(ppgnn.OverLimit, "level"):
            ppgnn.Client(ppgnn.Plan.make(WORDS, [1], levels="public"))
        with self.assertRaisesRegex(ppgnn.InvalidArgument, "^agree: has no budget"):
            ppgnn.Client(self.plan, agree={"budget": 3})
        device = ppgnn.Client(self.plan)
        with self.assertRaisesRegex(ppgnn.Mismatch, "^x: there are 3 values"):
            device.report([1, 2, 3], level=1, ledger=self.ledger)
        for x, level in [({30: 1}, 1), ({3: 1}, 9)]:
            with self.assertRaises(ppgnn.Error):
                device.report(x, level=level, ledger=self.ledger)
        with open(self.ledger, "wb") as file:
            file.write(b"not a ledger")
        with self.assertRaises(ppgnn.Malformed):
            device.report({3: 1}, level=1, ledger=self.ledger)

    def test_no_message_shows_what_is_private(self):
        device = ppgnn.Client(self.plan)
        secret = np.full(20, 0.8125, np.float32)
        for x, level in [(secret, -1), (secret, "2"), (secret, 2**40), (secret, None), (["0.8125"] * 19 + ["a"], 1), ({0.8125: 1}, 1),
                         (secret[:9], 1), ({0: "0.8125x"}, 1)]:
            with self.assertRaises(ValueError) as refused:
                device.report(x, level=level, ledger=self.ledger)
            self.assertNotIn("8125", str(refused.exception))

    def test_preview_is_in_words(self):
        self.assertIn("Level 1", ppgnn.Client(self.plan).preview(1))

    @needs("scipy")
    def test_many_rows(self):
        from scipy.sparse import csr_matrix
        X = (np.arange(60).reshape(3, 20) % 7 == 0).astype(np.float32)
        for rows in (X, csr_matrix(X)):
            reports = self.plan.reports(rows, level=[1, 2, 1])
            self.assertEqual(len(reports), 3)
            self.assertEqual(len({len(report) for report in reports}), 1)
        for rows, level, argument in [(X.astype(float), 1, "X"), (X[:, :5], 1, "X"), (X.T.copy().T, 1, "X"), (X, [1, 2], "level"),
                                      (X, 3, "level"), (X, [1.5] * 3, "level"), (csr_matrix(X.astype(float)), 1, "X")]:
            with self.assertRaisesRegex(ValueError, "^" + argument):
                self.plan.reports(rows, level)


if __name__ == "__main__":
    unittest.main()
