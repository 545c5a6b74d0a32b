"""Parts that simulations of every family share: arrivals, recorded traces, noise, fates of requests, highest loads."""
