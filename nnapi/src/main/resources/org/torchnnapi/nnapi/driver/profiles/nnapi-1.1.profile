# Plain NNAPI 1.1 (Android 9) as the platform's own CPU implementation offers it: everything the specification of that release has.
name nnapi-1.1
version 1.1
type CPU
feature-level 28
source https://developer.android.com/ndk/reference/group/neural-networks
performance * 1 1
supports * *
