"""A plan, what it reveals at most, and what private features give on a graph beside the graph alone."""
import ppgnn

graph = ppgnn.datasets.social(2000, seed=1)                      # or Graph.from_networkx, from_scipy, from_pyg, read("folder")
print(ppgnn.forecast(graph))                                     # what a campaign would give, before anybody reports
plan = ppgnn.Plan.make(graph, budgets=[1, 2])                    # public: what devices will do
print(plan.audit())                                              # what a report tells at most, computed from the plan's integers
device = ppgnn.Client(plan, agree=2.5)                           # refuses a plan that costs more than the person agreed to
report = device.report(graph.X[0], level=1, ledger="ana.ledger")  # one report per campaign, however often you ask
model = ppgnn.CampaignClassifier(test_fraction=0.25, random_state=0)
model.fit(graph.X, graph.y, graph=graph)                         # a simulation: it plays everybody's device
print(f"{model.test_score_:.1%}, the graph alone {model.control_score_:.1%}, {model.spent_.mean():.2f} nats per person")
