# SPDX-License-Identifier: Apache-2.0
# deepseek_v4_decode.py race|clean [REPLAYS]: a decode step of transformers' DeepSeek-V4 (four
# layers, random weights), captured with the query and key projections fused: their output is one
# buffer, whose key half is normalised on a side stream while the main stream goes on with queries.
# race: the buffer's last reference is dropped before the main stream joins the side stream, so the
# next allocation is handed its bytes. clean: it is held until the join.
# Prints how many of the replays (2,000) left other logits than the first.
import sys

import torch
import torch.nn.functional as F
from transformers import DeepseekV4Config, DeepseekV4ForCausalLM

arm = sys.argv[1]
replays = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
torch.manual_seed(0)
config = DeepseekV4Config(
    vocab_size=512, hidden_size=512, moe_intermediate_size=256, num_hidden_layers=4,
    num_attention_heads=8, head_dim=128, q_lora_rank=256, num_experts_per_tok=2,
    n_routed_experts=4, layer_types=["sliding_attention"] * 4, mlp_layer_types=["moe"] * 4,
    o_groups=4, o_lora_rank=64, sliding_window=64, max_position_embeddings=4096,
    attn_implementation="eager",
)  # fmt: skip
config._experts_implementation = "batched_mm"
model = DeepseekV4ForCausalLM(config).to("cuda", torch.bfloat16).eval()
for parameter in model.parameters():
    torch.nn.init.normal_(parameter, std=0.05)
side = torch.cuda.Stream()


class Fused(torch.nn.Module):
    """Stands for q_a_proj: computes queries and keys at once."""

    def __init__(self, attention):
        super().__init__()
        self.rank = attention.q_a_proj.weight.shape[0]
        self.weight = torch.cat([attention.q_a_proj.weight, attention.kv_proj.weight]).detach()
        self.norm = attention.kv_norm
        self.keys = self.held = None

    def forward(self, hidden):
        main = torch.cuda.current_stream()
        both = F.linear(hidden, self.weight)
        side.wait_stream(main)
        with torch.cuda.stream(side):
            self.keys = self.norm(both[..., self.rank :])
        if arm == "clean":
            self.held = both
        return both[..., : self.rank].clone()


class Joined(torch.nn.Module):
    """Stands for kv_proj: waits for the side stream's keys."""

    def __init__(self, fused):
        super().__init__()
        self.fused = [fused]  # in a list, so that it is no submodule a second time

    def forward(self, _):
        fused = self.fused[0]
        torch.cuda.current_stream().wait_stream(side)
        keys, fused.keys, fused.held = fused.keys, None, None
        return keys


for layer in model.model.layers:
    attention = layer.self_attn
    fused = Fused(attention)
    attention.kv_norm = torch.nn.Identity()
    attention.q_a_proj, attention.kv_proj = fused, Joined(fused)

tokens = torch.randint(0, config.vocab_size, (8, 1), device="cuda")
positions = torch.full((8, 1), 7, device="cuda")
mask = torch.zeros(8, 1, 1, 1, device="cuda", dtype=torch.bfloat16)  # made in a capture it is on the CPU
torch.cuda.synchronize()


@torch.no_grad()
def step():
    return model(
        input_ids=tokens, attention_mask=mask, position_ids=positions, use_cache=False
    ).logits


warm = torch.cuda.Stream()
with torch.cuda.stream(warm):
    for _ in range(3):
        step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    logits = step()
graph.replay()
torch.cuda.synchronize()
first = logits.clone()
different = 0
for _ in range(replays - 1):
    graph.replay()
    torch.cuda.synchronize()
    different += not torch.equal(logits, first)
print(f"{arm}: {different} of {replays} replays left other logits", flush=True)
