"""The estimators: scikit-learn's own checks, the command's bits, people who were never seen, and refusals."""
import pickle
import signal
import threading
import unittest
import warnings

import numpy as np
import ppgnn
from support import command, needs

NEEDED = ("scipy", "sklearn")


@needs(*NEEDED)
class Checks(unittest.TestCase):
    """All of check_estimator; the one tag that is set is poor_score."""

    def all_of(self, estimator):
        from sklearn.base import BaseEstimator
        from sklearn.utils.estimator_checks import check_estimator
        tags = {name for name, value in estimator._get_tags().items() if value != BaseEstimator()._get_tags().get(name)}
        self.assertLessEqual(tags, {"poor_score", "requires_y"})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for instance, check in check_estimator(estimator, generate_only=True):
                with self.subTest(check=check.func.__name__):
                    check(instance)

    def test_paper(self):
        self.all_of(ppgnn.PPGNNClassifier())

    def test_strict(self):
        self.all_of(ppgnn.PPGNNClassifier("strict", epochs=100, control=False))

    def test_campaign(self):
        self.all_of(ppgnn.CampaignClassifier(control=False))


@needs(*NEEDED)
class SameBits(unittest.TestCase):
    """With a quarter of the people for validation and test, what the command prints for its first run."""

    data = "synthetic:social,nodes=600,seed=5"

    def held_to_the_command(self, method, classifier, *options):
        graph = ppgnn.Graph.read(self.data)
        classifier.set_params(validation_fraction=0.25, test_fraction=0.25, random_state=7)
        classifier.fit(graph.X, graph.y, graph=graph)
        found = command("run", "--data", self.data, "--method", method, "--runs", 1, "--seed", 7, "--json", *options)
        self.assertEqual(classifier.test_score_, found["accuracy"]["values"][0])
        self.assertEqual(classifier.metrics_["log_loss"], found["accuracy"]["log_losses"][0])
        self.assertEqual(classifier.control_score_, found["control"]["values"][0])
        again = classifier.metrics_["log_loss"]
        dense = ppgnn.Graph.from_scipy(graph.adjacency, graph.X.toarray(), schema=graph.schema)
        classifier.fit(dense.X, graph.y, graph=dense)
        self.assertEqual(classifier.metrics_["log_loss"], again)

    def test_paper(self):
        self.held_to_the_command("paper", ppgnn.PPGNNClassifier("paper", epochs=40, epsilon=2), "--epochs", 40, "--epsilon", 2)

    def test_strict(self):
        self.held_to_the_command("strict", ppgnn.PPGNNClassifier("strict", epochs=40, backbone="sage"), "--epochs", 40,
                                 "--backbone", "sage")

    def test_teach(self):
        self.held_to_the_command("teach", ppgnn.CampaignClassifier(budgets=(1, 2, 4)), "--budgets", "1,2,4", "--no-reference")

    def test_run_is_the_command(self):
        frame = ppgnn.run(ppgnn.Graph.read(self.data), "lpgnn", runs=2, epochs=20, seed=3)
        found = command("run", "--data", self.data, "--method", "lpgnn", "--runs", 2, "--epochs", 20, "--seed", 3, "--json")
        self.assertEqual(frame.accuracy["lpgnn"], found["accuracy"]["values"])


@needs(*NEEDED)
class People(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = ppgnn.datasets.social(400, seed=2)
        cls.y = np.where(np.arange(400) % 4 == 0, -1, cls.graph.y)
        cls.fitted = ppgnn.PPGNNClassifier("strict", epochs=30, random_state=0).fit(cls.graph.X, cls.y, graph=cls.graph)

    def test_everybody_has_a_class(self):
        fitted = self.fitted
        self.assertEqual(fitted.predict().shape, (400,))
        np.testing.assert_allclose(fitted.predict_proba().sum(axis=1), 1, rtol=1e-5)
        np.testing.assert_array_equal(fitted.predict(self.graph.X), fitted.transduction_)
        self.assertGreater(fitted.score(self.graph.X, np.where(self.y == -1, self.graph.y, -1)), 0.4)

    def test_what_people_spent(self):
        fitted = self.fitted
        budgets = np.array([1, 2, 4, 8, 16])[fitted.levels_ - 1]
        self.assertTrue((fitted.spent_ <= budgets).all() and (fitted.spent_ > 0).all())
        self.assertEqual(fitted.certificate_.plan.budgets, [1, 2, 4, 8, 16])
        self.assertAlmostEqual(fitted.lift_, fitted.validation_score_ - fitted.control_score_)
        self.assertIsNone(ppgnn.PPGNNClassifier(epochs=3, random_state=0, control=False)
                          .fit(self.graph.X, self.y, graph=self.graph).certificate_)

    def test_levels_that_are_stated(self):
        strict = ppgnn.PPGNNClassifier("strict", epochs=3, random_state=0).fit(self.graph.X, self.y, graph=self.graph, level=1)
        self.assertEqual(set(strict.levels_), {1})
        self.assertLessEqual(strict.spent_.max(), 1)

    def test_unseen_people(self):
        rows = self.graph.X[:50].toarray()
        alone = self.fitted.predict_proba(rows)
        np.testing.assert_allclose(self.fitted.predict_proba(rows[::-1])[::-1], alone, atol=1e-6)
        with_friends = self.fitted.predict_proba(rows, graph=self.graph.adjacency[:50, :50])
        self.assertFalse(np.allclose(with_friends, alone))

    def test_pickle_and_clone(self):
        from sklearn.base import clone
        again = pickle.loads(pickle.dumps(self.fitted))
        rows = self.graph.X[:9].toarray()
        np.testing.assert_array_equal(again.predict_proba(rows), self.fitted.predict_proba(rows))
        self.assertEqual(clone(self.fitted).get_params(), self.fitted.get_params())

    def test_refusals_name_the_argument(self):
        X, y, graph = self.graph.X, self.y, self.graph
        small = ppgnn.datasets.social(50, seed=1)
        fit = ppgnn.PPGNNClassifier(epochs=3, random_state=0).fit
        for call, argument in [(lambda: fit(X, y, graph=small), "graph"), (lambda: fit(X, y, graph=3), "graph"),
                               (lambda: fit(X, y, graph=graph, level=[1, 2]), "level"), (lambda: fit(X, y, graph=graph, level=9), "level"),
                               (lambda: fit(X, np.full(400, -1), graph=graph), "y"),
                               (lambda: ppgnn.PPGNNClassifier("no such").fit(X, y, graph=graph), "method"),
                               (lambda: ppgnn.PPGNNClassifier(backbone="mlp").fit(X, y, graph=graph), "backbone"),
                               (lambda: ppgnn.PPGNNClassifier(epsilon=-1).fit(X, y, graph=graph), "epsilon"),
                               (lambda: ppgnn.PPGNNClassifier(validation_fraction=2).fit(X, y, graph=graph), "validation"),
                               (lambda: ppgnn.CampaignClassifier(levels="none").fit(X, y, graph=graph), "levels"),
                               (lambda: self.fitted.predict(graph=graph), "X")]:
            with self.subTest(argument=argument), self.assertRaisesRegex(ValueError, "^" + argument):
                call()
        bad = X.toarray()
        bad[0, 0] = np.nan
        with self.assertRaisesRegex(ValueError, "NaN"):
            fit(bad, y)
        with self.assertRaisesRegex(ValueError, "(?s)features"):
            self.fitted.predict(X[:, :9].toarray())

    def test_every_method_of_the_library(self):
        for method in ppgnn.methods():
            with self.subTest(method=method.name):
                classifier = ppgnn.PPGNNClassifier(method.name, epochs=2, random_state=0, control=False)
                self.assertEqual(classifier.fit(self.graph.X, self.y, graph=self.graph).predict().shape, (400,))

    def test_progress_and_interrupt(self):
        seen = []
        graph = self.graph
        data = ppgnn.estimators._native_data(graph, graph.X, np.ascontiguousarray(self.y, dtype=np.int32), graph.classes)
        fit = ppgnn.estimators._native.fit
        fit(data, {"method": "strict", "epochs": "300"}, 0.25, 0.25, None, False, lambda done, total: seen.append(done / total))
        self.assertEqual(seen, sorted(seen))
        self.assertEqual(seen[-1], 1)
        threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            fit(data, {"method": "strict", "epochs": "1000000"}, 0.25, 0.25, None, False, None)

    def test_reports_of_devices(self):
        plan = ppgnn.Plan.make(self.graph, [4, 8], levels="public")
        reports = plan.reports(self.graph.X, 2)
        fitted = ppgnn.CampaignClassifier(epochs=30, random_state=0).fit_reports(plan, reports, self.y, graph=self.graph)
        self.assertEqual(fitted.predict().shape, (400,))
        self.assertEqual(fitted.certificate_.plan, plan)
        with self.assertRaisesRegex(ppgnn.Mismatch, "^reports: there are 2"):
            fitted.fit_reports(plan, reports[:2], self.y, graph=self.graph)
        with self.assertRaisesRegex(ppgnn.Malformed, "^report 0"):
            fitted.fit_reports(plan, {"0": b"nothing"}, self.y, graph=self.graph)


if __name__ == "__main__":
    unittest.main()
