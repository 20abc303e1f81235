// Runs a converted model on torch-nnapi's devices from C++: digits MODEL FOLDER, which holds the images; see README.md.
#include <torch/script.h>

#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

// The bytes of a .npy file of version 1 behind its header.
std::vector<char> npy(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (bytes.size() < 10 || bytes[1] != 'N') {
        throw std::runtime_error(path + " (expected: a .npy file)");
    }
    std::size_t header = 10 + static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]);
    return {bytes.begin() + static_cast<std::ptrdiff_t>(header), bytes.end()};
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) {
        std::cerr << "usage: digits MODEL FOLDER\n";
        return 2;
    }
    try {
        std::string folder = arguments[2];
        std::vector<char> pixels = npy(folder + "/digits-test-images.npy");
        std::vector<char> labels = npy(folder + "/digits-test-labels.npy");
        auto images = torch::from_blob(pixels.data(), {static_cast<int64_t>(pixels.size()) / 64, 8, 8}, torch::kUInt8).to(torch::kFloat) / 8 - 1;
        images = images.repeat_interleave(4, 1).repeat_interleave(4, 2).unsqueeze(1).expand({-1, 3, -1, -1}).contiguous();
        torch::jit::Module model = torch::jit::load(arguments[1]);
        int64_t width = static_cast<int64_t>(labels.size()) / images.size(0);
        int right = 0;
        for (int64_t i = 0; i < images.size(0); i++) {
            auto scores = model.forward({images[i].unsqueeze(0)}).toTensor();
            right += scores.argmax().item<int64_t>() == static_cast<unsigned char>(labels[static_cast<std::size_t>(i * width)]);
        }
        std::cout << right << " of " << images.size(0) << " digits right\n";
        return 0;
    } catch (const std::exception& e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
}
