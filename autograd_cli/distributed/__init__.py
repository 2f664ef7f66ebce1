"""Distributed autograd: messages in, messages out; no sockets."""
