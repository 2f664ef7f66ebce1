# ruff: noqa - written as tutorials are
import torch
from torch.func import vmap, grad

x = torch.ones(3, 2)


def t(n, f):
    try:
        print(n, f())
    except Exception as e:
        print(n, type(e).__name__)


t("rand", lambda: vmap(lambda a: a + torch.rand(2))(x))
t("rand_like", lambda: vmap(lambda a: a + torch.rand_like(a))(x))
t("dropout", lambda: vmap(lambda a: torch.nn.functional.dropout(a))(x))
t("dropout eval", lambda: vmap(lambda a: torch.nn.functional.dropout(a, training=False))(x))
t("randperm", lambda: vmap(lambda a: torch.randperm(2))(x))
t("normal_", lambda: vmap(lambda a: a.clone().normal_())(x))
t("bern", lambda: vmap(lambda a: torch.bernoulli(a))(x))
t("multinomial", lambda: vmap(lambda a: torch.multinomial(a, 1))(x))
torch.manual_seed(0)
t("same", lambda: vmap(lambda a: torch.rand(2), randomness="same")(x))
t("diff", lambda: vmap(lambda a: torch.rand(2), randomness="different")(x))
t("diffn", lambda: vmap(lambda a: torch.randn(2), randomness="different")(x))
t("aux", lambda: grad(lambda a: (a.sum(), 3), has_aux=True)(x))
t("aux2", lambda: grad(lambda a: (a.sum(), {"k": a * 2}), has_aux=True)(x))
t("aux3", lambda: grad(lambda a: (a.sum(), (a, "x")), has_aux=True)(x))
t("float", lambda: grad(lambda a: a * 2)(3.0))
t("int", lambda: grad(lambda a: a.sum())(torch.tensor([1])))
t("str", lambda: grad(lambda a: a)("x"))
t("num", lambda: grad(lambda a: 3.0)(x))
t("tuple", lambda: grad(lambda a: (a.sum(),))(x))
t("vmap num", lambda: vmap(lambda a: 3.0)(x))
t("vmap none", lambda: vmap(lambda a: None)(x))
t("vmap arg", lambda: vmap(lambda a: a)(3.0))
t("vmap 0d", lambda: vmap(lambda a: a)(torch.tensor(1.0)))
t("vmap item", lambda: vmap(lambda a: a * torch.tensor(2.0).item())(x))
