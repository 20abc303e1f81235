#!/usr/bin/env python3
"""Architectures of transformers and torchaudio that today's PyTorch exports, small and with random weights, with its answers.

    ci/today/libraries.py OUT --build NAMES
    ci/today/libraries.py --builds

Writes folders as models.py does, beside which this has to be, and export.py of ci/modern/libraries: NAME as `export` gives it, NAME-core after
run_decompositions(), and NAME-traced, which is TorchScript. OUT/told.json says why what is missing could not be exported or traced. Models of
transformers are called by names of arguments, and what they return is as it is; those that are traced return their tensors alone.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import warnings

import export
import models
import torch
from torch import nn

SECONDS = 240
# By the type of a configuration, with the head behind a colon.
TEXT = """bert bert:SequenceClassification bert:TokenClassification roberta distilbert distilbert:QuestionAnswering albert albert:MaskedLM electra mobilebert
    squeezebert deberta deberta-v2 deberta-v2:SequenceClassification xlnet funnel:MaskedLM convbert mpnet layoutlm camembert ernie roformer fnet ibert modernbert
    modernbert:MaskedLM rembert esm megatron-bert nomic_bert""".split()
DECODERS = """gpt2:CausalLM gpt_neo gpt_neox gptj opt:CausalLM bloom llama:CausalLM mistral qwen2:CausalLM qwen3 gemma gemma2 gemma3_text phi phi3 falcon mamba:CausalLM
    mamba2 rwkv smollm3 olmo2 stablelm starcoder2 granite cohere mixtral qwen2_moe gpt_oss glm helium lfm2 codegen xglm biogpt""".split()
TRANSLATION = "t5 mt5 bart mbart pegasus marian m2m_100 blenderbot led switch_transformers".split()
VISION = """vit vit:ImageClassification deit beit swin swinv2 convnext convnextv2 resnet regnet mobilenet_v1 mobilenet_v2 mobilevit mobilevit:ImageClassification
    mobilevitv2 segformer:SemanticSegmentation poolformer levit cvt efficientnet dpt:DepthEstimation glpn:DepthEstimation yolos:ObjectDetection
    detr:ObjectDetection rt_detr:ObjectDetection dinov2 dinov3_vit hiera pvt_v2 focalnet bit swiftformer
    siglip_vision_model clip_vision_model swin2sr:ImageToImage""".split()
AUDIO = """wav2vec2 wav2vec2:CTC hubert wavlm unispeech-sat sew data2vec-audio wav2vec2-conformer wav2vec2-bert audio-spectrogram-transformer:AudioClassification
    whisper speech_to_text moonshine encodec""".split()
BOTH = "clip siglip blip vilt groupvit owlvit".split()
SERIES = "patchtst patchtsmixer timesfm decision_transformer".split()


def transformer(text):
    name, _, head = text.partition(":")
    model, names, arguments = export.built(name, head)
    return export.settled(model), dict(zip(names, arguments))


def audio():
    """Those of torchaudio: what makes a module, and its arguments."""
    import torchaudio
    from torchaudio import models as made

    def rnnt():
        return made.emformer_rnnt_model(
            input_dim=20,
            encoding_dim=32,
            num_symbols=30,
            segment_length=16,
            right_context_length=4,
            time_reduction_input_dim=16,
            time_reduction_stride=4,
            transformer_num_heads=4,
            transformer_ffn_dim=64,
            transformer_num_layers=2,
            transformer_dropout=0.0,
            transformer_activation="gelu",
            transformer_left_context_length=8,
            transformer_max_memory_size=0,
            transformer_weight_init_scale_strategy="depthwise",
            transformer_tanh_on_mem=True,
            symbol_embedding_dim=32,
            num_lstm_layers=2,
            lstm_layer_norm=True,
            lstm_layer_norm_epsilon=1e-3,
            lstm_dropout=0.0,
        )

    def tacotron():
        return made.Tacotron2(
            n_mels=20,
            symbol_embedding_dim=32,
            encoder_embedding_dim=32,
            decoder_rnn_dim=32,
            attention_rnn_dim=32,
            attention_hidden_dim=16,
            attention_location_n_filter=4,
            attention_location_kernel_size=7,
            prenet_dim=16,
            postnet_embedding_dim=32,
        )

    class Encoder(nn.Module):
        """What Tacotron2 does with the letters."""

        def __init__(self):
            super().__init__()
            whole = tacotron()
            self.embedding, self.encoder = whole.embedding, whole.encoder

        def forward(self, letters, lengths):
            return self.encoder(self.embedding(letters).transpose(1, 2), lengths)

    for name, make, arguments in export.audio(torchaudio):
        if name != "squim":
            yield name, make, arguments
    yield (
        "squim",
        lambda: made.squim_objective_model(32, 64, 32, 4, 32, 1, "LSTM", 31),
        [torch.rand(1, 2000)],
    )
    yield (
        "hubert",
        lambda: made.wav2vec2_model(
            "layer_norm",
            [[32, 10, 5], [32, 3, 2], [32, 2, 2]],
            True,
            32,
            0.0,
            15,
            4,
            2,
            4,
            0.0,
            64,
            0.0,
            0.0,
            True,
            0.0,
            None,
        ),
        [torch.rand(1, 2000)],
    )
    yield "emformer-rnnt-transcriber", lambda: rnnt().transcriber, [torch.rand(1, 36, 20), torch.tensor([32])]
    yield (
        "emformer-rnnt-predictor",
        lambda: rnnt().predictor,
        [torch.randint(0, 30, (1, 7)), torch.tensor([7])],
    )
    yield (
        "emformer-rnnt-joiner",
        lambda: rnnt().joiner,
        [torch.rand(1, 9, 32), torch.tensor([9]), torch.rand(1, 5, 32), torch.tensor([5])],
    )
    yield "tacotron2-encoder", Encoder, [torch.randint(0, 148, (1, 12)), torch.tensor([12])]
    yield "tacotron2-postnet", lambda: tacotron().postnet, [torch.rand(1, 20, 30)]
    yield (
        "wavernn",
        lambda: made.WaveRNN([4, 5], 16, 20, n_res_block=2, n_rnn=32, n_fc=32, n_freq=20, n_hidden=32, n_output=32),
        [torch.rand(1, 1, 20 * 6), torch.rand(1, 1, 20, 10)],
    )
    yield (
        "wavernn-melresnet",
        lambda: made.wavernn.MelResNet(2, 20, 32, 32, 5),
        [torch.rand(1, 20, 30)],
    )
    yield (
        "hdemucs",
        lambda: made.HDemucs(["voice", "rest"], channels=4, nfft=1024, depth=5),
        [torch.rand(1, 2, 8192)],
    )


def builds():
    """What makes a module and its arguments, by name."""
    made = {}
    for text in TEXT + DECODERS + TRANSLATION + VISION + AUDIO + BOTH + SERIES:
        made[text.replace(":", "-")] = lambda text=text: transformer(text)
    for name, make, arguments in audio():
        made["torchaudio-" + name] = lambda make=make, arguments=arguments: (export.settled(make()), tuple(arguments))
    return made


def reason(failure):
    lines = [line.strip() for line in str(failure).strip().splitlines() if line.strip()]
    return f"{type(failure).__name__}: {re.sub(r'0x[0-9a-f]+', '0x', lines[0] if lines else '')}"[:300]


def exported(out, name, make):
    """Writes what one can be; why not, by dialect."""
    told = {}
    torch.manual_seed(0)
    module, arguments = make()
    named = arguments if isinstance(arguments, dict) else {}
    placed = () if named else arguments
    try:
        with torch.no_grad():
            program = torch.export.export(module, placed, named)
        models.write(out / "model" / name, program, [arguments], [], models.SHARE)
        try:
            core = program.run_decompositions()
            models.write(out / "model" / f"{name}-core", core, [arguments], [], models.SHARE)
        except Exception as failure:  # whatever PyTorch says is the reason
            told["core"] = reason(failure)
    except Exception as failure:
        told["training"] = told["core"] = reason(failure)
    try:
        traced(out / "model" / f"{name}-traced", module, arguments)
    except Exception as failure:
        told["traced"] = reason(failure)
    return told


def traced(folder, module, arguments):
    named = isinstance(arguments, dict)
    flat = export.Flat(module, list(arguments) if named else None)
    given = tuple(arguments.values()) if named else arguments
    with torch.no_grad():
        script = torch.jit.trace(flat, given, strict=False, check_trace=False)
        made = script(*given)
    folder.mkdir(parents=True)
    script.save(str(folder / "model.pt"))
    run = {"args": [models.tree(a, f"r0a{i}", folder) for i, a in enumerate(given)], "kwargs": []}
    run["outputs"] = models.tree(made, "r0o", folder)
    atol = models.SHARE * max(models.reach(made))
    case = {"name": folder.name, "model": "model.pt", "check": "close", **models.TOLERANCE, "atol": atol}
    (folder / "case.json").write_text(json.dumps({**case, "runs": [run], "refusals": []}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, nargs="?")
    parser.add_argument("--build", metavar="NAMES", help="with commas between")
    parser.add_argument("--builds", action="store_true", help="the names of all")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    known = builds()
    if arguments.builds:
        print(*known, sep="\n")
        return
    if arguments.out is None:
        parser.error("OUT: none (expected: a folder that is made)")
    arguments.out.mkdir(parents=True, exist_ok=True)
    told = {}
    for name in arguments.build.split(",") if arguments.build else known:
        file = arguments.out / "told.json"
        file.unlink(missing_ok=True)
        # In a process of its own, so that time and memory are bounded and patches of a library stay there.
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS)
            try:
                missing = exported(arguments.out, name, known[name])
            except BaseException as failure:
                missing = dict.fromkeys(("training", "core", "traced"), reason(failure))
            file.write_text(json.dumps(missing))
            os._exit(0)
        os.waitpid(child, 0)
        late = {"late": f"no answer within {SECONDS} s"}
        told[name] = json.loads(file.read_text()) if file.exists() else late
    (arguments.out / "told.json").write_text(json.dumps(told))
    print(torch.__version__)


if __name__ == "__main__":
    main()
