// TensorFlow's build writes this header from its flags: kernels register the
// way that selective registration knows.
#define TF_OPTION_REGISTRATION_V2() 0
