#!/usr/bin/env python3
"""Exports small models, with random weights, of every architecture of transformers, torchaudio and torch_geometric that torch.jit.trace takes.

    ci/modern/libraries/export.py OUT [--part I/N] [--only REGEX]

Writes OUT/NAME/model.pt with in0.npy, in1.npy, ... and the answers want0.npy, ..., and adds a line to OUT/exports.jsonl for each that could not be exported.
Configurations are made small where the library lets them. Each is exported in a process of its own, a minute at most. Needs PyTorch 2.x with
these libraries; nothing is downloaded. ci/modern/libraries/convert.py runs and converts what was written.
"""

import argparse
import inspect
import json
import os
import pathlib
import re
import signal
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
warnings.filterwarnings("ignore")

import numpy
import torch

SECONDS = 60
TEXT = """bert roberta distilbert albert electra mobilebert squeezebert deberta deberta-v2 xlnet funnel longformer big_bird convbert mpnet nystromformer layoutlm camembert ernie
    gpt2 gpt_neo gpt_neox gptj opt bloom llama mistral qwen2 qwen3 gemma gemma2 gemma3_text phi phi3 falcon mamba mamba2 rwkv roformer fnet canine ibert modernbert smollm3 olmo
    olmo2 stablelm starcoder2 persimmon granite cohere mixtral qwen2_moe qwen3_moe biogpt codegen xglm rembert esm megatron-bert lfm2 jamba recurrent_gemma xmod data2vec-text
    openai-gpt ctrl xlm flaubert splinter mra yoso tapas lilt glm nemotron mpt bitnet helium ernie4_5 deepseek_v3 gpt_oss minimax dots1 hunyuan_v1_dense seed_oss apertus jetmoe
    olmoe diffllama zamba falcon_mamba xlstm blt eurobert nomic_bert jina_embeddings_v3 vaultgemma""".split()
TRANSLATION = """t5 mt5 bart mbart pegasus marian m2m_100 blenderbot blenderbot-small led plbart bigbird_pegasus switch_transformers umt5 prophetnet fsmt mvp nllb-moe longt5
    t5gemma""".split()
VISION = """vit deit beit swin swinv2 convnext convnextv2 resnet regnet mobilenet_v1 mobilenet_v2 mobilevit mobilevitv2 segformer poolformer levit cvt efficientnet dpt glpn yolos
    dinov2 dinov2_with_registers dinov3_vit dinov3_convnext hiera pvt pvt_v2 focalnet bit vit_mae vit_msn swin2sr siglip_vision_model clip_vision_model data2vec-vision textnet
    swiftformer ijepa hgnet_v2 donut-swin maskformer-swin vivit aimv2_vision_model mlcd""".split()
AUDIO = """wav2vec2 hubert wavlm unispeech unispeech-sat sew sew-d data2vec-audio wav2vec2-conformer encodec dac mimi univnet moonshine xcodec""".split()
SPOKEN = set(AUDIO) - {"encodec", "dac", "mimi", "univnet", "xcodec"}
HEADS = {
    "ObjectDetection": "detr yolos conditional_detr deformable_detr rt_detr rt_detr_v2 d_fine dab-detr table-transformer rf_detr lw_detr",
    "SemanticSegmentation": "segformer beit dpt mobilevit mobilenet_v2 mobilevitv2",
    "UniversalSegmentation": "mask2former eomt",
    "InstanceSegmentation": "maskformer",
    "DepthEstimation": "dpt glpn zoedepth",
    "ImageToImage": "swin2sr",
    "ImageClassification": "vit mobilevit levit mobilenet_v1 swiftformer poolformer",
    "SequenceClassification": "bert deberta-v2",
    "TokenClassification": "bert",
    "QuestionAnswering": "distilbert mobilebert",
    "CausalLM": "gpt2 llama qwen2 mamba",
    "MaskedLM": "albert modernbert",
    "CTC": "wav2vec2",
    "AudioClassification": "wavlm audio-spectrogram-transformer",
    "": "wav2vec2-bert patchtst patchtsmixer whisper speech_to_text clip siglip groupvit vilt owlvit blip parakeet_encoder lasr_encoder timesfm decision_transformer",
}
# What a configuration has of these is made so small.
SMALL = dict(
    hidden_size=64,
    d_model=64,
    n_embd=64,
    dim=64,
    embed_dim=32,
    embedding_size=64,
    num_hidden_layers=2,
    n_layer=2,
    n_layers=2,
    num_layers=2,
    encoder_layers=2,
    decoder_layers=2,
    num_encoder_layers=2,
    num_decoder_layers=2,
    num_attention_heads=4,
    n_head=4,
    n_heads=4,
    encoder_attention_heads=4,
    decoder_attention_heads=4,
    num_heads=4,
    num_key_value_heads=2,
    intermediate_size=128,
    n_inner=128,
    encoder_ffn_dim=128,
    decoder_ffn_dim=128,
    ffn_dim=128,
    d_ff=128,
    d_kv=16,
    d_inner=128,
    vocab_size=300,
    max_position_embeddings=64,
    n_positions=64,
    n_ctx=64,
    head_dim=16,
    moe_intermediate_size=64,
    shared_expert_intermediate_size=64,
    num_experts=4,
    num_local_experts=4,
    image_size=64,
    rotary_dim=8,
    state_size=8,
    time_step_rank=4,
    attention_window=8,
    block_size=4,
    true_hidden_size=32,
    intra_bottleneck_size=32,
    decoder_hidden_size=64,
    decoder_num_hidden_layers=2,
    decoder_num_attention_heads=4,
    decoder_intermediate_size=128,
    num_queries=10,
    num_codebooks=2,
    type_vocab_size=2,
    n_groups=2,
    pad_token_id=0,
    bos_token_id=1,
    eos_token_id=2,
    emb_dim=64,
    kv_lora_rank=16,
    q_lora_rank=32,
    qk_rope_head_dim=8,
    qk_nope_head_dim=8,
    v_head_dim=16,
    n_routed_experts=4,
    num_experts_per_tok=2,
    first_k_dense_replace=1,
    lru_width=64,
    num_mel_bins=40,
    encoder_hidden_dim=64,
    d_decoder=64,
    decoder_layerdrop=0.0,
    encoder_layerdrop=0.0,
    layerdrop=0.0,
    attention_window_size=16,
    num_blocks=2,
    neck_hidden_size=64,
    fusion_hidden_size=32,
    decoder_dim=64,
)
TEXT_PART = dict(
    vocab_size=300,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=32,
)
IMAGE_PART = dict(
    image_size=32, patch_size=8, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
)
TWO_PARTS = dict(text_config=TEXT_PART, vision_config=IMAGE_PART, projection_dim=32)
# By the type of a configuration: those whose numbers have to go together, or are in others.
SPECIAL = {
    "xlnet": dict(vocab_size=300, d_model=64, n_layer=2, n_head=4, d_inner=128),
    "funnel": dict(
        vocab_size=300, block_sizes=[1, 1], num_decoder_layers=1, d_model=64, n_head=4, d_head=16, d_inner=128
    ),
    "esm": dict(TEXT_PART, pad_token_id=0, mask_token_id=4, position_embedding_type="rotary"),
    "gpt_neo": dict(
        vocab_size=300,
        hidden_size=64,
        num_layers=2,
        num_heads=4,
        attention_types=[[["global", "local"], 1]],
        max_position_embeddings=64,
        window_size=8,
    ),
    "falcon": dict(vocab_size=300, hidden_size=64, num_hidden_layers=2, num_attention_heads=4),
    "mamba2": dict(
        vocab_size=300,
        hidden_size=32,
        num_hidden_layers=2,
        num_heads=4,
        head_dim=16,
        state_size=8,
        n_groups=2,
        chunk_size=8,
    ),
    "swin": dict(image_size=64, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4),
    "swinv2": dict(image_size=64, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4),
    "cvt": dict(embed_dim=[16, 32, 48], num_heads=[1, 2, 3], depth=[1, 2, 3]),
    "efficientnet": dict(image_size=64, width_coefficient=0.25, depth_coefficient=0.4, hidden_dim=320),
    "hiera": dict(image_size=[64, 64], embed_dim=16, depths=[1, 1, 1, 1], num_heads=[1, 2, 4, 8]),
    "bit": dict(embedding_size=32, hidden_sizes=[32, 64], depths=[1, 1], num_groups=8),
    "encodec": dict(num_filters=4, hidden_size=32, codebook_size=64, codebook_dim=32, num_lstm_layers=1),
    "dpt": dict(
        image_size=64,
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=2,
        intermediate_size=64,
        backbone_out_indices=[0, 1, 2, 3],
        neck_hidden_sizes=[16, 16, 16, 16],
        fusion_hidden_size=16,
    ),
    "detr": dict(
        use_timm_backbone=False,
        backbone=None,
        backbone_config=dict(
            model_type="resnet",
            embedding_size=16,
            hidden_sizes=[16, 32],
            depths=[1, 1],
            layer_type="basic",
            out_features=["stage2"],
        ),
        num_queries=10,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
    ),
    "rt_detr": dict(
        # With weights of 0.01 all scores are one number, of which no largest can be told.
        initializer_range=0.3,
        backbone_config=dict(
            model_type="rt_detr_resnet",
            embedding_size=16,
            hidden_sizes=[16, 32, 48, 64],
            depths=[1, 1, 1, 1],
            layer_type="basic",
            out_features=["stage2", "stage3", "stage4"],
        ),
        encoder_hidden_dim=32,
        encoder_in_channels=[32, 48, 64],
        encoder_ffn_dim=64,
        encoder_attention_heads=4,
        d_model=32,
        num_queries=10,
        decoder_in_channels=[32, 32, 32],
        decoder_ffn_dim=64,
        decoder_layers=2,
        decoder_attention_heads=4,
    ),
    "clip": TWO_PARTS,
    "siglip": TWO_PARTS,
    "blip": TWO_PARTS,
    "owlvit": TWO_PARTS,
    "groupvit": dict(
        TWO_PARTS,
        vision_config=dict(
            IMAGE_PART, depths=[1, 1, 1], num_group_tokens=[8, 4, 0], num_output_groups=[8, 4, 0], image_size=64
        ),
    ),
}
WIDTHS = ("hidden_sizes", "embed_dims", "embed_dim", "neck_hidden_sizes")


class Flat(torch.nn.Module):
    """A model that returns its tensors one after the other, three at most of a library's record."""

    def __init__(self, module, names=None, options=None, most=None):
        super().__init__()
        self.module, self.names, self.options, self.most = module, names, options or {}, most

    def forward(self, *arguments):
        made = (
            self.module(**dict(zip(self.names, arguments)), **self.options) if self.names else self.module(*arguments)
        )
        flat = list(self.tensors(made))[: self.most]
        return tuple(flat) if len(flat) > 1 else flat[0]

    def tensors(self, value):
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, dict) or isinstance(value, (list, tuple)):
            for item in value.values() if isinstance(value, dict) else value:
                yield from self.tensors(item)


def settled(module):
    """A module for inference, in which no weights are zero and no statistics trivial."""
    module.eval()
    torch.manual_seed(1)
    for weight in module.parameters():
        if weight.dtype.is_floating_point and weight.numel() and weight.abs().max() == 0:
            torch.nn.init.normal_(weight, 0, 0.02)
    for part in module.modules():
        if isinstance(part, torch.nn.modules.batchnorm._BatchNorm) and part.running_mean is not None:
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
    return module


def export(out, name, module, arguments):
    module = settled(module)
    with torch.no_grad():
        traced = torch.jit.trace(module, tuple(arguments), strict=False, check_trace=False)
        want = traced(*arguments)
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    for i, tensor in enumerate(arguments):
        numpy.save(folder / f"in{i}.npy", tensor.numpy())
    for i, tensor in enumerate(want if isinstance(want, tuple) else (want,)):
        numpy.save(folder / f"want{i}.npy", tensor.detach().numpy())
    traced.save(str(folder / "model.pt"))


def configuration(kind):
    if kind.model_type in SPECIAL:
        return kind(**SPECIAL[kind.model_type])
    base = kind()
    numbers = {key: value for key, value in SMALL.items() if type(getattr(base, key, None)) in (int, float)}
    for key in ("depths", "num_blocks_per_stage"):
        value = getattr(base, key, None)
        if isinstance(value, (list, tuple)) and all(type(i) is int for i in value):
            numbers[key] = [min(i, 2) for i in value]
    for key in (
        "hidden_sizes",
        "embed_dims",
        "neck_hidden_sizes",
        "conv_dim",
        "encoder_hidden_sizes",
        "embedding_dims",
        "widths",
    ):
        value = getattr(base, key, None)
        if isinstance(value, (list, tuple)) and all(type(i) is int for i in value):
            numbers[key] = [max(8, i // 64 * 8) if i > 8 else i for i in value]
    if any(isinstance(getattr(base, key, None), (list, tuple)) for key in ("num_heads", "num_attention_heads")):
        numbers = {key: value for key, value in numbers.items() if key not in WIDTHS + ("hidden_size",)}
    fewer = {key: value for key, value in numbers.items() if key not in WIDTHS}
    fewest = {
        key: value
        for key, value in numbers.items()
        if "layers" in key or "vocab" in key or key in ("image_size", "depths")
    }
    for some in (numbers, fewer, fewest, {}):
        try:
            return kind(**some)
        except Exception:  # sizes that do not go together
            continue
    raise RuntimeError("no configuration")


def tokens(count=16):
    return torch.randint(3, 290, (1, count))


def inputs(name, config, parameters):
    """The names and tensors that a model takes."""
    ones = torch.ones(1, 16, dtype=torch.int64)
    size = getattr(config, "image_size", 64)
    size = size if isinstance(size, int) else size[0] if isinstance(size, (list, tuple)) else 64
    image = torch.rand(1, 3, size, size)
    if name == "decision_transformer":
        return (
            ["states", "actions", "rewards", "returns_to_go", "timesteps", "attention_mask"],
            [
                torch.rand(1, 5, config.state_dim),
                torch.rand(1, 5, config.act_dim),
                torch.rand(1, 5, 1),
                torch.rand(1, 5, 1),
                torch.arange(5)[None],
                ones[:, :5],
            ],
        )
    special = {
        "whisper": lambda: (
            ["input_features", "decoder_input_ids"],
            [torch.rand(1, config.num_mel_bins, 2 * config.max_source_positions), tokens(4)],
        ),
        "speech_to_text": lambda: (["input_features", "decoder_input_ids"], [torch.rand(1, 40, 80), tokens(4)]),
        "audio-spectrogram-transformer": lambda: (
            ["input_values"],
            [torch.rand(1, config.max_length, config.num_mel_bins)],
        ),
        "patchtst": lambda: (["past_values"], [torch.rand(1, config.context_length, config.num_input_channels)]),
        "patchtsmixer": lambda: (["past_values"], [torch.rand(1, config.context_length, config.num_input_channels)]),
        "timesfm": lambda: (
            ["past_values", "past_values_padding", "freq"],
            [
                torch.rand(1, config.context_length),
                torch.zeros(1, config.context_length, dtype=torch.int64),
                torch.zeros(1, 1, dtype=torch.int64),
            ],
        ),
        "vilt": lambda: (["input_ids", "pixel_values"], [tokens(), torch.rand(1, 3, 64, 64)]),
        "vivit": lambda: (["pixel_values"], [torch.rand(1, 32, 3, size, size)]),
        "moonshine": lambda: (["input_values", "decoder_input_ids"], [torch.rand(1, 4000) * 2 - 1, tokens(4)]),
    }
    if name in special:
        return special[name]()
    if name in ("clip", "siglip", "groupvit", "owlvit", "blip"):
        return ["input_ids", "pixel_values"], [
            tokens(8),
            torch.rand(1, 3, config.vision_config.image_size, config.vision_config.image_size),
        ]
    if name in ("wav2vec2-bert", "parakeet_encoder", "lasr_encoder"):
        return ["input_features"], [
            torch.rand(
                1, 48, getattr(config, "feature_projection_input_dim", None) or getattr(config, "num_mel_bins", 80)
            )
        ]
    if name in AUDIO:
        return [next(iter(parameters))], [
            torch.rand(1, 4000) * 2 - 1 if name in SPOKEN else torch.rand(1, 1, 4096) * 2 - 1
        ]
    if name in TRANSLATION:
        return ["input_ids", "decoder_input_ids"], [tokens(), tokens(8)]
    if name in TEXT:
        return (
            (["input_ids", "attention_mask"], [tokens(), ones])
            if "attention_mask" in parameters
            else (["input_ids"], [tokens()])
        )
    return ["pixel_values"], [image]


def built(name, head, **further):
    """A model of transformers, and the names and tensors that it takes."""
    import transformers

    config = configuration(transformers.CONFIG_MAPPING[name])
    for key in ("use_cache", "apply_spec_augment"):
        if hasattr(config, key):
            setattr(config, key, False)
    torch.manual_seed(0)
    kind = getattr(transformers, "AutoModel" + (head and "For" + head))
    model = kind.from_config(config, **further).float().eval()
    return model, *inputs(name, config, inspect.signature(model.forward).parameters)


def transformer(out, title, name, head):
    model, names, arguments = built(name, head, attn_implementation="eager")
    parameters = inspect.signature(model.forward).parameters
    options = {key: value for key, value in (("use_cache", False), ("return_dict", True)) if key in parameters}
    export(out, title, Flat(model, names, options, 3), arguments)


def audio(torchaudio):
    models = torchaudio.models
    yield (
        "wav2vec2",
        lambda: models.wav2vec2_model(
            "group_norm",
            [[64, 10, 5], [64, 3, 2], [64, 3, 2]],
            False,
            64,
            0.0,
            15,
            4,
            2,
            4,
            0.0,
            128,
            0.0,
            0.0,
            False,
            0.0,
            32,
        ),
        [torch.rand(1, 2000)],
    )
    yield (
        "wavlm",
        lambda: models.wavlm_model(
            "group_norm",
            [[64, 10, 5], [64, 3, 2]],
            False,
            64,
            0.0,
            15,
            4,
            2,
            4,
            32,
            16,
            0.0,
            128,
            0.0,
            0.0,
            False,
            0.0,
            32,
        ),
        [torch.rand(1, 1000)],
    )
    yield "conformer", lambda: models.Conformer(40, 4, 64, 2, 7), [torch.rand(1, 50, 40), torch.tensor([50])]
    yield (
        "emformer",
        lambda: models.Emformer(64, 4, 128, 2, 16, right_context_length=4),
        [torch.rand(1, 36, 64), torch.tensor([32])],
    )
    yield (
        "convtasnet",
        lambda: models.ConvTasNet(
            2, 16, 64, msk_num_feats=32, msk_num_hidden_feats=64, msk_num_layers=3, msk_num_stacks=2
        ),
        [torch.rand(1, 1, 2000)],
    )
    yield "deepspeech", lambda: models.DeepSpeech(20, 64, 10), [torch.rand(1, 1, 30, 20)]
    yield "wav2letter", lambda: models.Wav2Letter(20, "mfcc", 20), [torch.rand(1, 20, 100)]
    yield "squim", lambda: models.squim_objective_base(), [torch.rand(1, 8000)]


class Graphs(torch.nn.Module):
    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second

    def forward(self, x, edges):
        return self.second(torch.relu(self.first(x, edges)), edges)


def graphs(nn):
    for name in """GCNConv ChebConv SAGEConv GraphConv GATConv GATv2Conv TransformerConv TAGConv ARMAConv SGConv LEConv ClusterGCNConv GENConv FiLMConv SuperGATConv EGConv
            GeneralConv ResGatedGraphConv MFConv LGConv AGNNConv FeaStConv HypergraphConv""".split():
        kind = getattr(nn, name)
        more = {"ChebConv": dict(K=3), "EGConv": dict(num_heads=4)}.get(name, {})
        yield (
            name,
            lambda kind=kind, name=name, more=more: (
                Graphs(kind(), kind())
                if name in ("LGConv", "AGNNConv")
                else Graphs(kind(16, 32, **more), kind(32, 4, **more))
            ),
        )
    for name in "GIN GAT EdgeCNN".split():
        yield name, lambda name=name: getattr(nn, name)(16, 32, 2, 4)
    yield (
        "PNA",
        lambda: nn.PNA(
            16,
            32,
            2,
            4,
            aggregators=["mean", "min", "max", "std"],
            scalers=["identity", "amplification"],
            deg=torch.tensor([0, 1, 3, 2]),
        ),
    )
    yield "GraphUNet", lambda: nn.GraphUNet(16, 32, 4, 2)
    yield "DeepGCN", lambda: nn.GCN(16, 32, 4, 4, norm="batch_norm", jk="cat")


def jobs(out):
    for name in TEXT + TRANSLATION + VISION + AUDIO:
        yield f"hf-{name}", lambda title, name=name: transformer(out, title, name, "")
    for head, names in HEADS.items():
        for name in names.split():
            yield (
                f"hf-{name}" + (head and "-" + head),
                lambda title, name=name, head=head: transformer(out, title, name, head),
            )
    import torchaudio

    for name, make, arguments in audio(torchaudio):
        yield f"ta-{name}", lambda title, make=make, arguments=arguments: export(out, title, Flat(make()), arguments)
    import torch_geometric.nn

    edges = torch.tensor([[0, 1, 1, 2, 2, 3, 3, 0, 4, 5, 5, 1], [1, 0, 2, 1, 3, 2, 0, 3, 5, 4, 1, 5]])
    for name, make in graphs(torch_geometric.nn):
        yield f"pyg-{name}", lambda title, make=make: export(out, title, make(), [torch.rand(6, 16), edges])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--part", default="1/1", help="which of how many parts")
    parser.add_argument("--only", default="", help="names that hold a match")
    arguments = parser.parse_args()
    part, parts = (int(number) for number in arguments.part.split("/"))
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    for i, (title, job) in enumerate(jobs(arguments.out)):
        if i % parts != part - 1 or not re.search(arguments.only, title):
            continue
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS)
            try:
                job(title)
            except BaseException as failure:  # what cannot be exported is no case
                with (arguments.out / "exports.jsonl").open("a") as log:
                    log.write(
                        json.dumps(
                            {
                                "name": title,
                                "reason": f"{type(failure).__name__}: {failure}".strip().splitlines()[0][:200],
                            }
                        )
                        + "\n"
                    )
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
