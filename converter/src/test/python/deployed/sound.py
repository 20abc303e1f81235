"""Sound: keywords, speech to text, masks, separation, speakers."""

import torch
from torch import nn
from torch.nn import functional as F

from catalogue import deployed, image, normal


@deployed(normal(1, 1, 40, 32))
class KeywordSpotting(nn.Module):
    """Convolutions over a spectrogram, then a recurrent layer, whose last state is classified."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 8, (20, 5), (8, 2)), nn.BatchNorm2d(8), nn.ReLU())
        self.gru = nn.GRU(8 * 3, 16, num_layers=1, batch_first=True)
        self.out = nn.Linear(16, 6)

    def forward(self, x):
        y = self.conv(x)
        y = y.permute(0, 3, 1, 2).reshape(y.size(0), y.size(3), -1)
        states, last = self.gru(y)
        return F.log_softmax(self.out(states[:, -1]), dim=-1)


@deployed(normal(1, 1, 49, 10), quantized="static")
class SeparableKeywordSpotting(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 16, (10, 4), (2, 2), (5, 1), bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 16, 3, padding=1, groups=16, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 16, 1, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
        )
        self.out = nn.Linear(16, 12)

    def forward(self, x):
        return self.out(self.body(x).flatten(1))


class Chomp(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.size = size

    def forward(self, x):
        return x[:, :, : -self.size].contiguous()


@deployed(normal(1, 4, 64), forms=("traced",))
class CausalNet(nn.Module):
    """Dilated causal convolutions whose weights are normalised (which PyTorch does not script), and residuals."""

    def __init__(self):
        super().__init__()
        layers = []
        for i in range(4):
            d = 2**i
            layers.append(
                nn.Sequential(
                    nn.utils.weight_norm(nn.Conv1d(4 if i == 0 else 12, 12, 3, padding=2 * d, dilation=d)),
                    Chomp(2 * d),
                    nn.ReLU(),
                    nn.Dropout(0.1),
                )
            )
        self.layers = nn.ModuleList(layers)
        self.short = nn.Conv1d(4, 12, 1)
        self.out = nn.Linear(12, 3)

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = F.relu(layer(x) + (self.short(x) if i == 0 else x))
        return self.out(x.transpose(1, 2))


@deployed(normal(1, 1, 128))
class GatedWaveNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(1, 8, 1)
        self.dilated = nn.ModuleList([nn.Conv1d(8, 16, 2, dilation=2**i) for i in range(5)])
        self.residual = nn.ModuleList([nn.Conv1d(8, 8, 1) for _ in range(5)])
        self.skip = nn.ModuleList([nn.Conv1d(8, 8, 1) for _ in range(5)])
        self.out = nn.Sequential(nn.ReLU(), nn.Conv1d(8, 16, 1), nn.ReLU(), nn.Conv1d(16, 16, 1))
        self.before = [1, 2, 4, 8, 16]

    def forward(self, x):
        x = self.first(x)
        total = torch.zeros(1)
        for i, (dilated, residual, skip) in enumerate(zip(self.dilated, self.residual, self.skip)):
            y = dilated(F.pad(x, [self.before[i], 0]))
            a, b = y.chunk(2, 1)
            z = torch.tanh(a) * torch.sigmoid(b)
            total = total + skip(z)
            x = x + residual(z)
        return self.out(total)


@deployed(normal(1, 24, 33))
class SpeechMask(nn.Module):
    """Two recurrent layers over frames, and a mask for the spectrum."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(33)
        self.gru = nn.GRU(33, 16, num_layers=2, batch_first=True)
        self.out = nn.Linear(16, 33)

    def forward(self, x):
        y, state = self.gru(self.norm(torch.log1p(x.abs())))
        return x * torch.sigmoid(self.out(y)), state


@deployed(normal(1, 1, 160), normal(2, 1, 16), normal(2, 1, 16))
class StreamingMask(nn.Module):
    """A block at a time: states go in and come out."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Conv1d(1, 24, 160, bias=False)
        self.lstm = nn.LSTM(24, 16, 2)
        self.mask = nn.Linear(16, 24)
        self.decoder = nn.Linear(24, 160, bias=False)

    def forward(self, x, h, c):
        y = self.encoder(x).permute(2, 0, 1)
        z, (h, c) = self.lstm(y, (h, c))
        return self.decoder(torch.sigmoid(self.mask(z)) * y).squeeze(0), h, c


@deployed(image(1, 1, 32, 64))
class TextRecognition(nn.Module):
    """Convolutions down to one row, two bidirectional layers, characters."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Conv2d(8, 12, 3, padding=1),
            nn.BatchNorm2d(12),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Conv2d(12, 12, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d((2, 1), (2, 1)),
            nn.Conv2d(12, 12, (4, 2)),
            nn.ReLU(),
        )
        self.first = nn.LSTM(12, 10, bidirectional=True)
        self.middle = nn.Linear(20, 10)
        self.second = nn.LSTM(10, 10, bidirectional=True)
        self.out = nn.Linear(20, 11)

    def forward(self, x):
        y = self.conv(x).squeeze(2).permute(2, 0, 1)
        y, _ = self.first(y)
        t, b, h = y.shape
        y = self.middle(y.view(t * b, h)).view(t, b, -1)
        y, _ = self.second(y)
        return F.log_softmax(self.out(y), 2)


@deployed(normal(1, 1, 20, 32))
class SpeechToText(nn.Module):
    """Convolutions, clipped activations, bidirectional recurrent layers summed, and the best character of each frame."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 4, (5, 5), (2, 2), (2, 2)), nn.BatchNorm2d(4), nn.Hardtanh(0.0, 20.0))
        self.rnn = nn.ModuleList([nn.GRU(40, 12, bidirectional=True, bias=False), nn.RNN(12, 12, bidirectional=True)])
        self.norm = nn.BatchNorm1d(12)
        self.out = nn.Linear(12, 9, bias=False)

    def forward(self, x):
        y = self.conv(x)
        y = y.view(y.size(0), y.size(1) * y.size(2), y.size(3)).permute(2, 0, 1)
        for rnn in self.rnn:
            y, _ = rnn(y)
            y = y.view(y.size(0), y.size(1), 2, -1).sum(2)
        t, b = y.size(0), y.size(1)
        y = self.out(self.norm(y.view(t * b, -1))).view(t, b, -1).transpose(0, 1)
        return F.softmax(y, dim=-1), torch.argmax(y, dim=-1)


@deployed(normal(1, 40, 16))
class DeepSpeech(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.ModuleList([nn.Linear(16, 24), nn.Linear(24, 24)])
        self.rnn = nn.RNN(24, 16, num_layers=1, nonlinearity="relu", bidirectional=True)
        self.fc4 = nn.Linear(16, 16)
        self.out = nn.Linear(16, 10)

    def forward(self, x):
        for fc in self.fc:
            x = F.hardtanh(F.relu(fc(x)), 0.0, 20.0)
        x = x.squeeze(1).transpose(0, 1)
        x, _ = self.rnn(x)
        x = x[:, :, :16] + x[:, :, 16:]
        x = F.hardtanh(F.relu(self.fc4(x)), 0.0, 20.0)
        return F.log_softmax(self.out(x).permute(1, 0, 2), dim=2)


@deployed(normal(1, 48, 20))
class SpeakerEmbedding(nn.Module):
    """Time delays, pooled means and deviations with attention, length 1."""

    def __init__(self):
        super().__init__()
        self.frames = nn.Sequential(
            nn.Conv1d(20, 16, 5),
            nn.ReLU(),
            nn.BatchNorm1d(16),
            nn.Conv1d(16, 16, 3, dilation=2),
            nn.ReLU(),
            nn.BatchNorm1d(16),
        )
        self.weigh = nn.Sequential(nn.Conv1d(16, 8, 1), nn.Tanh(), nn.Conv1d(8, 16, 1))
        self.out = nn.Linear(64, 16)

    def forward(self, x):
        y = self.frames(x.transpose(1, 2))
        w = torch.softmax(self.weigh(y), dim=2)
        mean = torch.sum(y * w, dim=2)
        spread = torch.sqrt((torch.sum(y**2 * w, dim=2) - mean**2).clamp(min=1e-5))
        stats = torch.cat([mean, spread, y.mean(2), y.std(2)], 1)
        return F.normalize(self.out(stats), dim=1)


class FeedForward(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.SiLU(), nn.Linear(2 * width, width)
        )

    def forward(self, x):
        return x + 0.5 * self.body(x)


@deployed(normal(1, 24, 16))
class Conformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = FeedForward(16), FeedForward(16)
        self.norm = nn.LayerNorm(16)
        self.attention = nn.MultiheadAttention(16, 2)
        self.convolution = nn.Sequential(
            nn.Conv1d(16, 32, 1),
            nn.GLU(dim=1),
            nn.Conv1d(16, 16, 7, padding=3, groups=16),
            nn.BatchNorm1d(16),
            nn.SiLU(),
            nn.Conv1d(16, 16, 1),
        )
        self.norms = nn.ModuleList([nn.LayerNorm(16), nn.LayerNorm(16)])

    def forward(self, x):
        x = self.first(x.transpose(0, 1))
        y = self.norm(x)
        y, _ = self.attention(y, y, y, need_weights=False)
        x = x + y
        x = x + self.convolution(self.norms[0](x).permute(1, 2, 0)).permute(2, 0, 1)
        return self.norms[1](self.last(x)).transpose(0, 1)


@deployed(normal(1, 1, 256))
class SourceSeparation(nn.Module):
    """Encoder, dilated blocks normalised over all, masks of two speakers, transposed convolution."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Conv1d(1, 16, 16, 8, 8, bias=False)
        self.norm = nn.GroupNorm(1, 16, eps=1e-8)
        self.first = nn.Conv1d(16, 12, 1)
        self.blocks = nn.ModuleList(
            [
                nn.Sequential(
                    nn.Conv1d(12, 16, 1),
                    nn.PReLU(),
                    nn.GroupNorm(1, 16),
                    nn.Conv1d(16, 16, 3, padding=2**i, dilation=2**i, groups=16),
                    nn.PReLU(),
                    nn.GroupNorm(1, 16),
                )
                for i in range(3)
            ]
        )
        self.residual = nn.ModuleList([nn.Conv1d(16, 12, 1) for _ in range(3)])
        self.skip = nn.ModuleList([nn.Conv1d(16, 12, 1) for _ in range(3)])
        self.masks = nn.Sequential(nn.PReLU(), nn.Conv1d(12, 32, 1), nn.Sigmoid())
        self.decoder = nn.ConvTranspose1d(16, 1, 16, 8, 8, bias=False)

    def forward(self, x):
        features = self.encoder(x)
        y = self.first(self.norm(features))
        total = torch.zeros_like(y)
        for block, residual, skip in zip(self.blocks, self.residual, self.skip):
            z = block(y)
            y = y + residual(z)
            total = total + skip(z)
        masked = features.unsqueeze(1) * self.masks(total).view(1, 2, 16, -1)
        return self.decoder(masked.view(2, 16, -1)).view(1, 2, -1)


@deployed(normal(1, 400))
class WaveTransformer(nn.Module):
    """Waves to features by strided convolutions, places by a grouped one, then a transformer."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(1, 16, 10, 5, bias=False)
        self.norm = nn.GroupNorm(16, 16)
        self.second = nn.Conv1d(16, 16, 3, 2, bias=False)
        self.third = nn.Conv1d(16, 16, 2, 2, bias=False)
        self.project = nn.Sequential(nn.LayerNorm(16), nn.Linear(16, 16))
        self.places = nn.Conv1d(16, 16, 8, padding=4, groups=4)
        layer = nn.TransformerEncoderLayer(16, 4, 32, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(16, 8)

    def forward(self, x):
        y = F.gelu(self.norm(self.first(x.unsqueeze(1))))
        y = F.gelu(self.third(F.gelu(self.second(y))))
        y = self.project(y.transpose(1, 2))
        y = y + F.gelu(self.places(y.transpose(1, 2))[:, :, :-1]).transpose(1, 2)
        return self.out(self.encoder(y))


@deployed(normal(1, 10, 16), lambda: torch.tensor([[1, 4, 2, 7]]))
class Transducer(nn.Module):
    """Encoder of sounds, predictor of characters, and both joined for all pairs."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.LSTM(16, 12, 2, batch_first=True)
        self.table = nn.Embedding(9, 8)
        self.predictor = nn.LSTM(8, 12, batch_first=True)
        self.join = nn.Linear(12, 12)
        self.out = nn.Linear(12, 9)

    def forward(self, x, characters):
        sounds, _ = self.encoder(x)
        said, _ = self.predictor(self.table(characters))
        both = torch.tanh(self.join(sounds).unsqueeze(2) + said.unsqueeze(1))
        return self.out(both).log_softmax(-1)


@deployed(normal(1, 1, 32, 48))
class SoundEvents(nn.Module):
    """Convolutions over a spectrogram, a bidirectional layer, attention over time."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.BatchNorm2d(1),
            nn.Conv2d(1, 8, 3, padding=1),
            nn.GLU(1),
            nn.AvgPool2d((2, 4)),
            nn.Conv2d(4, 8, 3, padding=1),
            nn.ReLU(),
            nn.AvgPool2d((1, 4)),
        )
        self.gru = nn.GRU(24, 8, bidirectional=True, batch_first=True)
        self.strong = nn.Linear(16, 5)
        self.weights = nn.Linear(16, 5)

    def forward(self, x):
        y = self.conv(x).permute(0, 2, 1, 3).flatten(2)
        y, _ = self.gru(y)
        strong = torch.sigmoid(self.strong(y))
        w = torch.clamp(torch.softmax(self.weights(y), dim=-1), min=1e-7, max=1)
        return strong.transpose(1, 2), (strong * w).sum(1) / w.sum(1)


@deployed(normal(1, 400))
class SpectralMask(nn.Module):
    """A mask over a spectrogram from the wave itself, and back to a wave."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(32))
        self.gru = nn.GRU(17, 12, batch_first=True)
        self.mask = nn.Linear(12, 17)

    def forward(self, x):
        z = torch.stft(x, 32, 8, 32, self.window, return_complex=True)
        y, _ = self.gru(torch.log1p(z.abs().transpose(1, 2)))
        return torch.istft(z * torch.sigmoid(self.mask(y)).transpose(1, 2), 32, 8, 32, self.window, length=400)


@deployed(normal(1, 12, 8))
class FourierMixer(nn.Module):
    """Words mixed by transforms in place of attention."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.feed = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))

    def forward(self, x):
        x = self.norm(x + torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real)
        return x + self.feed(x)


@deployed(normal(1, 3, 12, 12))
class FourierOperator(nn.Module):
    """Weights for the slow waves of a field, beside a convolution."""

    def __init__(self):
        super().__init__()
        self.lift = nn.Conv2d(3, 4, 1)
        self.weight = nn.Parameter(torch.randn(4, 4, 3, 3, 2))
        self.local = nn.Conv2d(4, 4, 1)
        self.out = nn.Conv2d(4, 1, 1)

    def forward(self, x):
        x = self.lift(x)
        waves = torch.fft.rfft2(x)
        slow = torch.zeros(1, 4, 12, 7, dtype=torch.cfloat)
        slow[:, :, :3, :3] = torch.einsum("bixy,ioxy->boxy", waves[:, :, :3, :3], torch.view_as_complex(self.weight))
        return self.out(F.gelu(self.local(x) + torch.fft.irfft2(slow, s=[12, 12])))


@deployed(normal(1, 6, 16))
class TurnedPlaces(nn.Module):
    """Attention whose places are told by turning pairs of numbers, as complex ones."""

    def __init__(self):
        super().__init__()
        self.parts = nn.Linear(16, 48)
        angles = torch.outer(torch.arange(6).float(), torch.tensor([1.0, 0.5, 0.25, 0.125]))
        self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles))

    def forward(self, x):
        y = self.parts(x).view(1, 6, 3, 2, 8)
        turned = (
            torch.view_as_real(torch.view_as_complex(y[:, :, :2].reshape(1, 6, 4, 4, 2)) * self.turns.view(1, 6, 1, 4))
            .flatten(3)
            .view(1, 6, 2, 2, 8)
        )
        q, k = turned[:, :, 0].transpose(1, 2), turned[:, :, 1].transpose(1, 2)
        return (
            torch.matmul(torch.softmax(torch.matmul(q, k.transpose(2, 3)) / 8**0.5, -1), y[:, :, 2].transpose(1, 2))
            .transpose(1, 2)
            .flatten(2)
        )
