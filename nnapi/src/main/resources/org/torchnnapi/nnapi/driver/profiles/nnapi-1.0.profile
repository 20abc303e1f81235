# Plain NNAPI 1.0 (Android 8.1) as the platform's own CPU implementation offers it: everything the specification of that release has.
name nnapi-1.0
version 1.0
type CPU
feature-level 27
source https://developer.android.com/ndk/reference/group/neural-networks
performance * 1 1
supports * *
