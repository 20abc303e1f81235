package org.torchnnapi.samples.camera

import android.Manifest
import android.content.pm.PackageManager
import android.os.Bundle
import android.util.Log
import android.widget.TextView
import androidx.activity.ComponentActivity
import androidx.activity.result.contract.ActivityResultContracts
import androidx.camera.core.CameraSelector
import androidx.camera.core.ImageAnalysis
import androidx.camera.core.ImageProxy
import androidx.camera.core.Preview
import androidx.camera.lifecycle.ProcessCameraProvider
import androidx.camera.view.PreviewView
import androidx.core.content.ContextCompat
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import org.pytorch.PyTorchAndroid
import org.torchnnapi.api.NnapiRuntime

/** Boxes around the shapes that the camera sees. */
class MainActivity : ComponentActivity() {
    /** One thread, which alone uses the model; the library spreads a run over the cores by itself. */
    private lateinit var frames: ExecutorService

    /** Of the thread of frames, which loads it, too: that takes longer than the main thread may. */
    private lateinit var detector: Detector
    private lateinit var pace: Pace

    private val permission =
        registerForActivityResult(ActivityResultContracts.RequestPermission()) { granted ->
            if (granted) start() else finish()
        }

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        setContentView(R.layout.main)
        frames = Executors.newSingleThreadExecutor()
        frames.execute {
            // The system's devices, system/NAME, where Android has NNAPI, and the library's own, which every phone has.
            pace = Pace(NnapiRuntime.create().devices())
            detector = Detector(PyTorchAndroid.loadModuleFromAsset(assets, MODEL))
        }
        if (checkSelfPermission(Manifest.permission.CAMERA) == PackageManager.PERMISSION_GRANTED) {
            start()
        } else {
            permission.launch(Manifest.permission.CAMERA)
        }
    }

    private fun start() {
        val opening = ProcessCameraProvider.getInstance(this)
        opening.addListener({ bind(opening.get()) }, ContextCompat.getMainExecutor(this))
    }

    private fun bind(camera: ProcessCameraProvider) {
        val shown = findViewById<PreviewView>(R.id.preview)
        shown.scaleType = PreviewView.ScaleType.FIT_CENTER
        val preview = Preview.Builder().build().also { it.setSurfaceProvider(shown.surfaceProvider) }
        // Frames that come while one is looked at are dropped but for the last, so that boxes never lag behind.
        val analysis =
            ImageAnalysis.Builder()
                .setBackpressureStrategy(ImageAnalysis.STRATEGY_KEEP_ONLY_LATEST)
                .setOutputImageFormat(ImageAnalysis.OUTPUT_IMAGE_FORMAT_RGBA_8888)
                .build()
        analysis.setAnalyzer(frames, ::look)
        camera.unbindAll()
        camera.bindToLifecycle(this, CameraSelector.DEFAULT_BACK_CAMERA, preview, analysis)
    }

    /** On the thread of frames. The camera gets the frame's memory back as soon as it is copied. */
    private fun look(image: ImageProxy) {
        val start = System.nanoTime()
        val frame =
            image.use {
                val plane = it.planes[0]
                Frame(it.width, it.height, plane.buffer, plane.rowStride, it.imageInfo.rotationDegrees).upright()
            }
        val found = detector.find(frame)
        val nanos = System.nanoTime() - start
        pace.frame(nanos)?.let { Log.i(TAG, it) }
        runOnUiThread {
            findViewById<BoxesView>(R.id.boxes).show(found, frame.width(), frame.height())
            findViewById<TextView>(R.id.time).text = getString(R.string.time, nanos / 1e6)
        }
    }

    override fun onDestroy() {
        super.onDestroy()
        // Behind the frame that may be looked at, and behind loading.
        frames.execute { detector.close() }
        frames.shutdown()
    }

    private companion object {
        const val MODEL = "detection-quantized-nnapi.pt"
        const val TAG = "TorchNnapiCamera"
    }
}
