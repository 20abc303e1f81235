@echo off
rem Runs the torch-nnapi command on Windows; needs Java 17 or later.
rem
rem   JAVA_HOME                a Java to prefer
rem   TORCH_NNAPI_JAVA_OPTS    further options for the Java virtual machine
rem
rem It does what bin/torch-nnapi does in a Unix shell, but for the start-up cache.
setlocal EnableExtensions DisableDelayedExpansion

for %%d in ("%~dp0..") do set "home=%%~fd"

set "java="
if defined JAVA_HOME if exist "%JAVA_HOME%\bin\java.exe" set "java=%JAVA_HOME%\bin\java.exe"
if not defined java for %%j in (java.exe) do set "java=%%~$PATH:j"
if not defined java (
  echo torch-nnapi: no Java found in JAVA_HOME or on the path: install Java 17 or later, or set JAVA_HOME to it 1>&2
  exit /b 1
)

rem Commands that run a model once are over before optimized code pays.
set "brief=-XX:TieredStopAtLevel=1"
for %%c in (bench conformance demo serve) do if "%~1"=="%%c" set "brief="

"%java%" -XX:+UseSerialGC -XX:-ShrinkHeapInSteps -Xms16m -XX:-UsePerfData -Xshare:auto -Xlog:disable %brief% --enable-native-access=org.torchnnapi.kernels,org.torchnnapi.driver.android "-Dtorchnnapi.home=%home%" %TORCH_NNAPI_JAVA_OPTS% -p "%home%\lib" -m org.torchnnapi.cli/org.torchnnapi.cli.Main %*
exit /b %ERRORLEVEL%
