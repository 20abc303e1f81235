# Plain NNAPI 1.3 (Android 11) as the platform's own CPU implementation offers it: everything the specification of that release has.
name nnapi-1.3
version 1.3
type CPU
feature-level 30
source https://developer.android.com/ndk/reference/group/neural-networks
performance * 1 1
supports * *
