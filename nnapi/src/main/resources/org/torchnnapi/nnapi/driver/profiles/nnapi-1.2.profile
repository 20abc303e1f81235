# Plain NNAPI 1.2 (Android 10) as the platform's own CPU implementation offers it: everything the specification of that release has.
name nnapi-1.2
version 1.2
type CPU
feature-level 29
source https://developer.android.com/ndk/reference/group/neural-networks
performance * 1 1
supports * *
