"""The public rules of tfcarve."""

load("//rules:providers.bzl", _TfMobileLibraryInfo = "TfMobileLibraryInfo", _TfSelectionInfo = "TfSelectionInfo")
load("//rules/private/library:mobile_library.bzl", _tf_flex_delegate = "tf_flex_delegate", _tf_mobile_library = "tf_mobile_library")
load("//rules/private/library:multi_platform_library.bzl", _tf_multi_platform_library = "tf_multi_platform_library")
load("//rules/private/models:frozen_model.bzl", _tf_frozen_model = "tf_frozen_model")
load("//rules/private/models:golden_sample.bzl", _tf_golden_sample = "tf_golden_sample")
load("//rules/private/models:model_benchmark.bzl", _tf_model_benchmark = "tf_model_benchmark")
load("//rules/private/models:model_test.bzl", _tf_model_test = "tf_model_test")
load("//rules/private/models:prepared_model.bzl", _tf_prepared_model = "tf_prepared_model")
load("//rules/private/packages:aar.bzl", _tf_android_archive = "tf_android_archive")
load("//rules/private/packages:library_archive.bzl", _tf_library_archive = "tf_library_archive")
load("//rules/private/packages:python_wheel.bzl", _tf_python_wheel = "tf_python_wheel")
load("//rules/private/packages:swift_package.bzl", _tf_swift_package = "tf_swift_package")
load("//rules/private/packages:xcframework.bzl", _tf_xcframework = "tf_xcframework")
load("//rules/private/selection:selection.bzl", _tf_selection = "tf_selection")
load("//rules/private/size:size_test.bzl", _tf_size_test = "tf_size_test")

visibility("public")

TfMobileLibraryInfo = _TfMobileLibraryInfo
TfSelectionInfo = _TfSelectionInfo
tf_android_archive = _tf_android_archive
tf_flex_delegate = _tf_flex_delegate
tf_frozen_model = _tf_frozen_model
tf_golden_sample = _tf_golden_sample
tf_library_archive = _tf_library_archive
tf_mobile_library = _tf_mobile_library
tf_model_benchmark = _tf_model_benchmark
tf_model_test = _tf_model_test
tf_multi_platform_library = _tf_multi_platform_library
tf_prepared_model = _tf_prepared_model
tf_python_wheel = _tf_python_wheel
tf_selection = _tf_selection
tf_size_test = _tf_size_test
tf_swift_package = _tf_swift_package
tf_xcframework = _tf_xcframework
